-- What may be deleted. A blob may serve several topics and writers, so it dies with its last
-- reference.
--
--   trim_topics() -> how many batches it removed, at most 1,000; null: another session does it
--   unreferenced_blobs(after_blob bytea, max int) -> blob; the oldest generations first; those
--     after one, or after an empty one
--   unneeded_blobs(blobs bytea[]) -> blob; those without a reference and without a tombstone
--   bury(minute int, blobs bytea[], grace interval) -> how many tombstones it put; null: later
--   tombstones_due(max int) -> blob
--   tombstones_due_before(claim text, max int) -> blob; tombstones older than that claim
--   tombstones_done(blobs bytea[]) -> void
--   generations() -> minute, listed_at
--   generation_listed(minute int) -> void
--   forget_generations(minutes int[]) -> void

-- Internal: whether a group had a member, or was changed, since a time.
create function is_active(g text, since timestamptz) returns boolean language plpgsql stable as $$
begin
  return exists (select from group_state s where s.group_id = g and s.active_at > since)
    or exists (select from member m where m.group_id = g and m.lease_until > since);
end $$;

-- Internal: up to which sequence a topic keeps nothing, at most 1,000 beyond its start. Abandoned
-- groups do not count.
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
    since := log_clock() - x.retention_millis * interval '1 millisecond'; -- null: no group is abandoned
    select min(case when p.known < x.partitions then 0 else p.least_pos end) into low
      from (select count(*) as known, min(coalesce(pos, 0)) as least_pos from group_partition q
        where topic_id = t and (since is null or is_active(q.group_id, since))
        group by group_id having count(pos) > 0) p;
    -- Without such a group: everything is kept.
    return case when low is null then x.log_start
      else greatest(x.log_start, least(high, low >> 24)) end;
  end if;
  return x.log_start;
end $$;

-- Internal: removes the batches of some ids and remembers blobs that lost their last reference. In
-- the same transaction, because a crash must not lose them. One session at a time: two that remove
-- the last two references at once would each see the other's. Also remembers the numbers of the
-- writers whose last batch goes, and when it went.
create function remove_batches(ids bigint[]) returns void language plpgsql as $$
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
  -- A trim must not wait for an open commit: who commits is in use anyway.
  update writer w set active_at = log_clock()
    from (select x.writer_id from writer x where x.writer_id = any (writers)
      for update skip locked) free
    where w.writer_id = free.writer_id;
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

-- Internal: removes writers that were opened 90 days ago or earlier, and whose last batch was
-- removed so long ago. Leaves those whose row another session holds.
create function trim_writers(most int) returns void language plpgsql as $$
declare gone bigint[];
begin
  with old as (select w.writer_id from writer w
      where w.active_at < log_clock() - interval '90 days'
        and not exists (select from batch b where b.writer_id = w.writer_id)
      order by w.writer_id limit most for update skip locked),
    d as (delete from writer w using old where w.writer_id = old.writer_id returning w.writer_id)
  select array_agg(writer_id) into gone from d;
  delete from writer_epoch where writer_id = any (gone);
  delete from writer_number where writer_id = any (gone);
end $$;

-- Removes batches by the retention of their topics, and writers that have ended.
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
  if done < most then
    perform trim_writers(most - done);
  end if;
  return done;
end $$;

create function unreferenced_blobs(after_blob bytea, most int) returns table (blob bytea)
language plpgsql stable as $$
begin
  return query select u.blob from unreferenced u where u.blob > after_blob order by u.blob limit most;
end $$;

create function unneeded_blobs(candidates bytea[]) returns table (blob bytea)
language plpgsql stable as $$
begin
  return query select c from unnest(candidates) c
    where not exists (select from blob_ref f where f.blob = c)
      and not exists (select from tombstone t where t.blob = c);
end $$;

-- Null: a publish of that generation may be open or may come: try later. Five minutes more than
-- publish allows, because the clock of a promoted standby may be behind.
create function bury(minute int, candidates bytea[], grace interval) returns int
language plpgsql as $$
declare n int; now timestamptz;
begin
  perform need_read_committed('bury');
  perform pg_advisory_xact_lock_shared(lock_class('claim'), 0);
  now := log_clock();
  if minute >= floor(extract(epoch from now) / 60) - (select max_age from log) - 5
    or not pg_try_advisory_xact_lock(lock_class('generation'), minute) then
    return null;
  end if;
  insert into tombstone (blob, delete_after, era)
    select c, now + grace, (select coalesce(max(seq), 0) from claim) from unnest(candidates) c
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

create function tombstones_due_before(claim text, most int) returns table (blob bytea)
language plpgsql as $$
declare now timestamptz := log_clock(); made bigint;
begin
  select c.seq into made from claim c where c.claim_id = tombstones_due_before.claim;
  return query select t.blob from tombstone t where t.delete_after <= now and t.era < made
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
