-- What may be deleted. A blob may serve several topics and writers, so it dies with its last
-- reference.

-- Internal: up to which sequence a topic keeps nothing, at most 1,000 beyond its start.
create function trim_end(t int, room int) returns bigint language plpgsql as $$
declare x topic%rowtype; end_seq bigint; low bigint; high bigint; middle bigint; since timestamptz;
begin
  select * into x from topic where topic_id = t;
  select s.next_seq into end_seq from sequencing s where s.topic_id = t
    order by s.next_seq desc limit 1;
  high := least(end_seq, x.log_start + room);
  if x.deleted_at is not null then
    return high;
  elsif x.retention = 'time' then
    since := log_clock() - x.retention_millis * interval '1 millisecond';
    low := x.log_start;
    while low < high loop
      middle := (low + high) / 2;
      if (select o.committed_at from commit_order o where o.topic_id = t and o.seq = middle)
          < since then
        low := middle + 1;
      else
        high := middle;
      end if;
    end loop;
    return low;
  elsif x.retention = 'consumed' then
    -- A group that has a position in the topic needs all partitions of it.
    select min(case when p.known < x.partitions then 0 else p.least_pos end) into low
      from (select count(*) as known, min(coalesce(pos, 0)) as least_pos from group_partition
        where topic_id = t group by group_id having count(pos) > 0) p;
    -- Without such a group: everything is kept.
    return case when low is null then x.log_start
      else greatest(x.log_start, least(high, low >> 24)) end;
  end if;
  return x.log_start;
end $$;

-- Internal: removes the batches of some ids and remembers blobs that lost their last reference. In
-- the same transaction, because a crash must not lose them. One session at a time: two that remove
-- the last two references at once would each see the other's.
create function remove_batches(ids bigint[]) returns void language plpgsql as $$
declare freed bytea[];
begin
  with b as (delete from batch where id = any (ids) returning id, blobs),
    r as (delete from blob_ref f using b, unnest(b.blobs) u (blob)
      where f.blob = u.blob and f.id = b.id returning f.blob)
  select array_agg(distinct blob) into freed from r;
  insert into unreferenced select u.blob from unnest(freed) u (blob)
    where not exists (select from blob_ref f where f.blob = u.blob) on conflict do nothing;
end $$;

-- Internal: batches of a deleted topic that never got a place, and the mark when none can come.
create function trim_staged(t int, room int) returns int language plpgsql as $$
declare ids bigint[];
begin
  if not pg_try_advisory_xact_lock(lock_class('sequence'), t) then
    return 0;
  end if;
  with d as (delete from inbox where topic_id = t
      and id in (select id from inbox where topic_id = t order by id limit room) returning id)
    select array_agg(id) into ids from d;
  if ids is not null then
    perform remove_batches(ids);
  elsif not exists (select from commit_order where topic_id = t) then
    update topic set purged_at = log_clock()
      where topic_id = t and deleted_at < log_clock() - interval '1 day';
  end if;
  return coalesce(array_length(ids, 1), 0);
end $$;

create function trim_topics() returns int language plpgsql as $$
declare most constant int := 1000; x topic%rowtype; done int := 0; until bigint; ids bigint[];
begin
  perform need_read_committed('trim_topics');
  if not pg_try_advisory_xact_lock(lock_class('trim'), 0) then
    return null;
  end if;
  for x in select t.* from topic t, log l where purged_at is null
      and (t.retention <> 'forever' or t.deleted_at is not null)
      order by t.topic_id <= l.trimmed_topic, t.topic_id loop
    until := trim_end(x.topic_id, most - done);
    if until > x.log_start then
      update topic set log_start = until where topic_id = x.topic_id;
      with o as (delete from commit_order where topic_id = x.topic_id
          and seq >= x.log_start and seq < until returning id)
        select array_agg(id) into ids from o;
      perform remove_batches(ids);
      done := done + (until - x.log_start);
    end if;
    if x.deleted_at is not null and done < most then
      done := done + trim_staged(x.topic_id, most - done);
    end if;
    if done >= most then
      update log set trimmed_topic = x.topic_id;
      exit;
    end if;
  end loop;
  return done;
end $$;

create function unreferenced_blobs(most int) returns table (blob bytea)
language plpgsql stable as $$
begin
  return query select u.blob from unreferenced u order by u.blob limit most;
end $$;

-- Null: a publish of that generation may be open or may come: try later. Five minutes more than
-- publish allows, because the clock of a promoted standby may be behind.
create function bury(minute int, candidates bytea[], grace interval) returns int
language plpgsql as $$
declare n int; now timestamptz;
begin
  perform need_read_committed('bury');
  now := log_clock();
  if minute >= floor(extract(epoch from now) / 60) - (select max_age from log) - 5
    or not pg_try_advisory_xact_lock(lock_class('generation'), minute) then
    return null;
  end if;
  insert into tombstone select c, now + grace from unnest(candidates) c
    where octet_length(c) = 20 and minute_of(c) = minute
      and not exists (select from blob_ref f where f.blob = c)
    on conflict do nothing;
  get diagnostics n = row_count;
  -- Only what has a tombstone now or is referenced again: others are still candidates.
  delete from unreferenced u using unnest(candidates) c
    where u.blob = c and minute_of(c) = minute
      and (exists (select from tombstone t where t.blob = c)
        or exists (select from blob_ref f where f.blob = c));
  return n;
end $$;

create function tombstones_due(most int) returns table (blob bytea) language plpgsql as $$
declare now timestamptz := log_clock();
begin
  return query select t.blob from tombstone t where t.delete_after <= now
    order by t.delete_after limit most;
end $$;

create function tombstones_done(blobs bytea[]) returns void language plpgsql as $$
begin
  delete from tombstone where blob = any (blobs);
end $$;

create function generations() returns table (minute int, listed_at timestamptz)
language plpgsql stable as $$
begin
  return query select g.minute, g.listed_at from generation g order by g.minute;
end $$;

create function generation_listed(listed int) returns void language plpgsql as $$
begin
  insert into generation as g values (listed, log_clock())
    on conflict (minute) do update set listed_at = excluded.listed_at;
end $$;

create function forget_generations(minutes int[]) returns void language plpgsql as $$
begin
  delete from generation where minute = any (minutes);
end $$;
