-- Writers publish batches.
--
--   init_writer(name) -> writer_id bigint, epoch int, next_no bigint
--   was_committed(writer_id bigint, epoch int, no bigint) -> boolean
--   publish(writer_id, epoch, first_no, topics int[], bytes bigint[], latest bigint[],
--       entries bytea[], blobs bytea[], blob_of int[], group text, member uuid, g_topics int[],
--       g_parts int[], g_generations bigint[], g_positions bigint[], g_metadata text[])
--     -> status text, ids bigint[], next_no bigint
--     status OK; FENCED: the epoch is over; DUPLICATE: committed before, ids as they were then
--     (null where retention has removed the batch); GAP: the log expects next_no.
--     Only OK has changed anything. blobs[i] belongs to batch blob_of[i], from 1. group null: no
--     positions.
--
-- A writer's next number follows from its batches, so a commit writes no row for it. That row and
-- its index entry would be 197 bytes of WAL per commit. writer_number keeps what batches cannot
-- tell: numbers of commits without batches, and of batches that retention has removed.

-- Internal: the number after a writer's last commit. One statement, so that a trim cannot remove
-- the last batch between two looks. Stable, so that it sees what its caller's statement sees.
create function next_number(w bigint) returns bigint language plpgsql stable as $$
declare next_no bigint;
begin
  select greatest(k.kept,
      (select b.writer_no + 1 from batch b where b.writer_id = w and b.writer_no >= k.kept
        order by b.writer_no desc limit 1))
    into next_no
    from (select coalesce((select n.next_no from writer_number n where n.writer_id = w
      order by n.next_no desc limit 1), 0) as kept) k;
  return next_no;
end $$;

-- Internal: remembers numbers that no batch will tell. Leaves rows that an open commit removes: a
-- trim must not wait for it.
create function keep_number(w bigint, number bigint) returns void language plpgsql as $$
begin
  insert into writer_number values (w, number) on conflict do nothing;
  delete from writer_number n
    using (select d.next_no from writer_number d where d.writer_id = w and d.next_no < number
      for update skip locked) old
    where n.writer_id = w and n.next_no = old.next_no;
end $$;

-- Internal: fails if numbers were taken after the snapshot of this transaction. Keys are unique
-- whatever a snapshot sees, so it writes what a commit with batches and one without write. Not
-- needed where each statement has a new snapshot.
create function need_free_numbers(w bigint, first_no bigint, n int) returns void
language plpgsql as $$
begin
  insert into batch (topic_id, writer_id, writer_no, bytes, latest, entries)
    select 0, w, first_no + k - 1, 0, 0, decode('00', 'hex') from generate_series(1, n) k;
  delete from batch where writer_id = w and writer_no between first_no and first_no + n - 1;
  insert into writer_number select w, first_no + k from generate_series(1, n) k;
  perform keep_number(w, first_no + n);
exception when unique_violation then
  raise exception 'Cannot publish number % of writer %: another session took it after the snapshot '
    'of this transaction.', first_no, w using errcode = '40001';
end $$;

-- Fences the predecessor of that name. Waits for its open transaction.
create function init_writer(writer_name text, out writer_id bigint, out epoch int,
    out next_no bigint) language plpgsql as $$
begin
  perform need_read_committed('init_writer');
  insert into writer as w (name, active_at) values (writer_name, log_clock())
    on conflict (name) do update set epoch = w.epoch + 1, active_at = log_clock()
    returning w.writer_id, w.epoch into writer_id, epoch;
  perform pg_advisory_xact_lock(lock_class('writer'), writer_id::int);
  next_no := next_number(writer_id);
  insert into writer_epoch values (writer_id, epoch, next_no);
end $$;

-- Whether a number of that epoch was committed. Holds after trims, and after a successor has used
-- the number.
create function was_committed(w bigint, e int, no bigint) returns boolean
language plpgsql stable as $$
begin
  return no < coalesce(
    (select min(first_no) from writer_epoch where writer_id = w and epoch > e), next_number(w));
end $$;

-- Internal: the lock comes before the clock: a sweeper of that generation waits for this
-- transaction, or it came before and the clock says so.
create function need_young(m int) returns void language plpgsql as $$
declare age int; oldest numeric;
begin
  perform pg_advisory_xact_lock_shared(lock_class('generation'), m);
  select max_age, floor(extract(epoch from clock_timestamp() + clock_shift) / 60) - max_age
    into age, oldest from log;
  if m < oldest then
    raise exception 'Cannot publish a blob of generation %: it is older than % minutes.', m, age
      using errcode = 'BS001';
  end if;
end $$;

-- Internal: refuses blobs that a sweeper may bury. Most commits have one blob, or one minute.
create function need_young(blobs bytea[]) returns void language plpgsql as $$
declare m int; n int := cardinality(blobs);
begin
  if n = 1 then
    perform need_young(minute_of(blobs[1]));
    if not exists (select from tombstone where blob = blobs[1]) then
      return;
    end if;
  else
    for m in select distinct minute_of(b) from unnest(blobs) b order by 1 loop
      perform need_young(m);
    end loop;
    if not exists (select from tombstone where blob = any (blobs)) then
      return;
    end if;
  end if;
  raise exception 'Cannot publish a blob: it is to be deleted.' using errcode = 'BS001';
end $$;

-- Internal: all positions or none. Locks in the order of the keys, as everybody does. A plan for
-- arrays of any length compares each of their elements with each row of the group, if the table
-- has no statistics yet: minutes for 10,000 partitions. So each call has a plan of its own.
create function move_positions(g text, member uuid, topics int[], parts int[],
    generations bigint[], positions bigint[], metadatas text[]) returns void
language plpgsql set plan_cache_mode = force_custom_plan as $$
declare n int;
begin
  perform from group_partition p join unnest(topics, parts) as k (t, q)
    on p.group_id = g and p.topic_id = k.t and p.part = k.q
    order by p.topic_id, p.part for update of p;
  update group_partition p set pos = k.x, metadata = k.m
    from unnest(topics, parts, generations, positions, metadatas) as k (t, q, v, x, m)
    where p.group_id = g and p.topic_id = k.t and p.part = k.q
      and p.member_id = member and p.generation = k.v;
  get diagnostics n = row_count;
  if n < coalesce(array_length(topics, 1), 0) then
    raise exception 'Cannot commit positions of group %: member % owns % of % partitions.',
      g, member, n, array_length(topics, 1) using errcode = 'BS002';
  end if;
end $$;

-- A commit of one batch with at most one blob asks in one statement whether all is in order: the
-- fifteen statements of the second part take 30 % more of the server's CPU time per commit. If
-- something is not in order, the first part changes nothing, and the second finds out what it is.
create function publish(w bigint, e int, first_no bigint, topics int[], bytes bigint[],
    latest bigint[], entries bytea[], blobs bytea[], blob_of int[], g text, member uuid,
    g_topics int[], g_parts int[], g_generations bigint[], g_positions bigint[],
    g_metadata text[], out status text, out ids bigint[], out next_no bigint)
language plpgsql as $$
declare
  batches int := coalesce(cardinality(topics), 0);
  n int := greatest(batches, 1);
  i bigint;
  missing int;
  said text;
  is_locked boolean;
  generation int;
  is_in_order boolean;
begin
  -- A client that dies between this call and its commit must not hold locks for long. A commit
  -- that a failover would lose is not acknowledged, whatever the session says: the server reports
  -- a wait that was cancelled by a warning.
  -- These are assignments because PERFORM starts the executor for each.
  said := set_config('idle_in_transaction_session_timeout', '10s', true);
  if current_setting('synchronous_commit') in ('off', 'local', 'remote_write') then
    said := set_config('synchronous_commit', 'on', true);
  end if;
  if current_setting('client_min_messages') = 'error' then
    said := set_config('client_min_messages', 'warning', true);
  end if;
  is_locked := pg_advisory_xact_lock(lock_class('writer'), w::int) is not null;
  if batches = 1 and coalesce(cardinality(blobs), 0) <= 1
      and current_setting('transaction_isolation') = 'read committed' then
    -- Locks come before the statement that looks, as in need_young.
    generation := minute_of(blobs[1]); -- null without a blob
    is_locked := pg_advisory_xact_lock_shared(lock_class('generation'), generation) is not null;
    select (select x.epoch from writer x where x.writer_id = w) = e
        and first_no = greatest(k.kept,
          (select b.writer_no + 1 from batch b where b.writer_id = w and b.writer_no >= k.kept
            order by b.writer_no desc limit 1))
        and exists (select from topic t where t.topic_id = topics[1] and t.deleted_at is null)
        and (generation is null or generation
          >= floor(extract(epoch from clock_timestamp() + l.clock_shift) / 60) - l.max_age)
        and not exists (select from tombstone d where d.blob = publish.blobs[1])
      into is_in_order
      from log l, (select coalesce((select x.next_no from writer_number x where x.writer_id = w
        order by x.next_no desc limit 1), 0) as kept) k;
    if is_in_order then
      said := pg_current_xact_id(); -- before the id, see table batch
      with b as (
        insert into batch (topic_id, writer_id, writer_no, bytes, latest, entries, blobs)
          values (topics[1], w, first_no, publish.bytes[1], publish.latest[1], publish.entries[1],
            nullif(publish.blobs, '{}'))
          returning id),
        a as (insert into inbox select topics[1], b.id from b),
        -- By its index, as it was checked: an array may begin elsewhere, and then this fails.
        r as (insert into blob_ref select publish.blobs[1], b.id from b
          where publish.blobs <> '{}')
      select b.id into i from b;
      if g is not null then
        perform move_positions(g, member, g_topics, g_parts, g_generations, g_positions, g_metadata);
      end if;
      ids := array[i];
      next_no := first_no + 1;
      status := 'OK';
      return;
    end if;
  end if;
  next_no := next_number(w);
  if (select epoch from writer where writer_id = w) is distinct from e then
    status := 'FENCED';
    return;
  elsif next_no >= first_no + n then
    status := 'DUPLICATE';
    select coalesce(array_agg(b.id order by k.no), '{}') into ids
      from generate_series(first_no, first_no + batches - 1) k (no)
      left join batch b on b.writer_id = w and b.writer_no = k.no;
    return;
  elsif next_no <> first_no then
    status := 'GAP';
    return;
  end if;
  next_no := first_no + n;
  select t into missing from unnest(topics) t
    where not exists (select from topic where topic_id = t and deleted_at is null) limit 1;
  if found then
    raise exception 'Cannot publish to topic %: there is no such topic.', missing
      using errcode = 'BS003';
  end if;
  if blobs <> '{}' then
    perform need_young(blobs);
  end if;
  perform pg_current_xact_id(); -- before the first id, see table batch
  if current_setting('transaction_isolation') <> 'read committed' then
    perform need_free_numbers(w, first_no, n);
  end if;
  if batches = 0 then
    ids := '{}';
    perform keep_number(w, publish.next_no);
  else
    with b as (
      insert into batch (topic_id, writer_id, writer_no, bytes, latest, entries, blobs)
        select u.t, w, first_no + u.o - 1, u.s, u.x, u.c,
            (select array_agg(f.blob) from unnest(publish.blobs, blob_of) f (blob, k)
              where f.k = u.o)
          from unnest(topics, publish.bytes, publish.latest, publish.entries)
            with ordinality as u (t, s, x, c, o) order by u.o
        returning id, topic_id, writer_no, batch.blobs),
      a as (insert into inbox select topic_id, id from b),
      r as (insert into blob_ref select distinct f.blob, b.id from b, unnest(b.blobs) f (blob))
    select coalesce(array_agg(id order by writer_no), '{}') into ids from b;
  end if;
  if g is not null then
    perform move_positions(g, member, g_topics, g_parts, g_generations, g_positions, g_metadata);
  end if;
  status := 'OK';
end $$;
