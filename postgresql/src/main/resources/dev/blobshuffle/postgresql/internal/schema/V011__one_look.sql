-- A commit of one batch with at most one blob asks in one statement whether all is in order. The
-- fifteen statements of V010 took 30 % more of the server's CPU time per commit.
--
-- If something is not in order, the first part changes nothing. The second part, which is that of
-- V010, finds it again and says what it is.

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
  said text;
  is_locked boolean;
  generation int;
  is_in_order boolean;
begin
  -- A client that dies between this call and its commit must not hold locks for long. A commit
  -- that a failover would lose is not acknowledged, whatever the session says.
  -- These are assignments because PERFORM starts the executor for each.
  said := set_config('idle_in_transaction_session_timeout', '10s', true);
  if current_setting('synchronous_commit') in ('off', 'local', 'remote_write') then
    said := set_config('synchronous_commit', 'on', true);
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
