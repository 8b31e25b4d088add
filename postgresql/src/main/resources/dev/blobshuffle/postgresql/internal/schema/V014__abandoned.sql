-- What nobody uses any more ends: groups that hold a topic which is kept until it is consumed, and
-- writers.

-- The last join, leave, seek or change of a group's members. A member's lease tells the time after it.
alter table group_state add column active_at timestamptz not null default clock_timestamp();

-- With retention `consumed`, retention_millis is the time after which a group without members counts
-- as abandoned; null: never.
alter table topic drop constraint topic_check;
alter table topic add constraint topic_retention
  check (case retention when 'time' then retention_millis is not null
    when 'forever' then retention_millis is null else true end);

-- When a writer was opened, or its last batch removed.
alter table writer add column active_at timestamptz not null default clock_timestamp();

-- As in V003, and notes that the group is in use.
create or replace function lock_group(g text, out generation bigint, out topics_version bigint,
    out clock timestamptz) language plpgsql as $$
begin
  perform need_read_committed('lock_group');
  insert into group_state (group_id) values (g) on conflict do nothing;
  update group_state s set active_at = log_clock() where group_id = g
    returning s.generation, s.topics_version into generation, topics_version;
  clock := log_clock();
end $$;

-- Internal: whether a group had a member, or was changed, since a time.
create function is_active(g text, since timestamptz) returns boolean language plpgsql stable as $$
begin
  return exists (select from group_state s where s.group_id = g and s.active_at > since)
    or exists (select from member m where m.group_id = g and m.lease_until > since);
end $$;

-- As in V004, without abandoned groups.
create or replace function trim_end(t int, room int) returns bigint language plpgsql as $$
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

-- As in V010, and notes that the writer is in use.
create or replace function init_writer(writer_name text, out writer_id bigint, out epoch int,
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

-- As in V010, and notes when a writer's last batch went.
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
  -- A trim must not wait for an open commit: who commits is in use anyway.
  update writer w set active_at = log_clock()
    from (select x.writer_id from writer x where x.writer_id = any (writers)
      for update skip locked) free
    where w.writer_id = free.writer_id;
  insert into unreferenced select u.blob from unnest(freed) u (blob)
    where not exists (select from blob_ref f where f.blob = u.blob) on conflict do nothing;
end $$;

-- Internal: removes writers that were opened 90 days ago or earlier, and whose last batch was removed
-- so long ago. Leaves those whose row another session holds.
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

-- As in V004, and of writers.
create or replace function trim_topics() returns int language plpgsql as $$
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
