-- A writer's next number follows from its batches, so a commit writes no row for it. That row and
-- its index entry were 197 bytes of WAL per commit.
--
-- writer_number keeps what batches cannot tell: numbers of commits without batches, and of batches
-- that retention has removed. A row changes then only.

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
    select 0, w, first_no + k - 1, 0, 0, '\x00' from generate_series(1, n) k;
  delete from batch where writer_id = w and writer_no between first_no and first_no + n - 1;
  insert into writer_number select w, first_no + k from generate_series(1, n) k;
  perform keep_number(w, first_no + n);
exception when unique_violation then
  raise exception 'Cannot publish number % of writer %: another session took it after the snapshot '
    'of this transaction.', first_no, w using errcode = '40001';
end $$;

create or replace function init_writer(writer_name text, out writer_id bigint, out epoch int,
    out next_no bigint) language plpgsql as $$
begin
  perform need_read_committed('init_writer');
  insert into writer as w (name) values (writer_name)
    on conflict (name) do update set epoch = w.epoch + 1
    returning w.writer_id, w.epoch into writer_id, epoch;
  perform pg_advisory_xact_lock(lock_class('writer'), writer_id::int);
  next_no := next_number(writer_id);
  insert into writer_epoch values (writer_id, epoch, next_no);
end $$;

create or replace function was_committed(w bigint, e int, no bigint) returns boolean
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
create or replace function need_young(blobs bytea[]) returns void language plpgsql as $$
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

create or replace function publish(w bigint, e int, first_no bigint, topics int[], bytes bigint[],
    latest bigint[], entries bytea[], blobs bytea[], blob_of int[], g text, member uuid,
    g_topics int[], g_parts int[], g_generations bigint[], g_positions bigint[],
    g_metadata text[], out status text, out ids bigint[], out next_no bigint)
language plpgsql as $$
declare
  batches int := coalesce(cardinality(topics), 0);
  n int := greatest(batches, 1);
  i bigint;
  missing int;
begin
  -- A client that dies between this call and its commit must not hold locks for long. A commit
  -- that a failover would lose is not acknowledged, whatever the session says.
  perform set_config('idle_in_transaction_session_timeout', '10s', true);
  if current_setting('synchronous_commit') in ('off', 'local', 'remote_write') then
    perform set_config('synchronous_commit', 'on', true);
  end if;
  perform pg_advisory_xact_lock(lock_class('writer'), w::int);
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
  elsif batches = 1 and (cardinality(blobs) = 1 or blobs is null or blobs = '{}') then
    insert into batch (topic_id, writer_id, writer_no, bytes, latest, entries, blobs)
      values (topics[1], w, first_no, publish.bytes[1], publish.latest[1], publish.entries[1],
        nullif(publish.blobs, '{}'))
      returning id into i;
    insert into inbox values (topics[1], i);
    if blobs <> '{}' then
      insert into blob_ref values (publish.blobs[1], i);
    end if;
    ids := array[i];
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

-- Internal: as before, and remembers the numbers of the writers whose last batch goes.
create or replace function remove_batches(ids bigint[]) returns void language plpgsql as $$
declare freed bytea[]; writers bigint[]; numbers bigint[]; k int;
begin
  with b as (delete from batch where id = any (ids) returning id, blobs, writer_id, writer_no),
    r as (delete from blob_ref f using b, unnest(b.blobs) u (blob)
      where f.blob = u.blob and f.id = b.id returning f.blob),
    gone as (select writer_id, max(writer_no) + 1 as number from b
      where writer_id is not null group by writer_id)
  select (select array_agg(distinct blob) from r),
      (select array_agg(writer_id order by writer_id) from gone),
      (select array_agg(number order by writer_id) from gone)
    into freed, writers, numbers;
  for k in 1 .. coalesce(cardinality(writers), 0) loop
    if next_number(writers[k]) < numbers[k] then
      perform keep_number(writers[k], numbers[k]);
    end if;
  end loop;
  insert into unreferenced select u.blob from unnest(freed) u (blob)
    where not exists (select from blob_ref f where f.blob = u.blob) on conflict do nothing;
end $$;

-- One row per writer is enough from here on, and most need none.
delete from writer_number n where exists (select from batch b
  where b.writer_id = n.writer_id and b.writer_no = n.next_no - 1);
delete from writer_number where next_no = 0;
