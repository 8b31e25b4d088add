-- Topics, their order and how it is read.
--
--   create_topic(name, partitions int, retention text, millis bigint) -> t, null: name is taken
--   change_topic(t, partitions int, retention text, millis bigint) -> void
--   delete_topic(name) -> t, null: there is none
--   find_topics(names text[]) -> topic_id, name, partitions, retention, retention_millis
--     names null: all
--   topics_version() -> bigint
--   look(t int[]) -> topic_id, log_start, next_seq, is_staged boolean; no row: absent
--   sequence_topic(t) -> how many batches it moved, at most 5,000; null: another session does it
--   read_order(t, from_seq bigint, max_rows int, max_bytes bigint, mark bigint)
--     -> seq, id, committed_at, entries, log_start, next_seq
--     The first row always: log_start and next_seq of the topic, and the batch at sequence `mark`
--     as it is now (seq, id, committed_at, entries; null if it is not there or mark is null). If
--     from_seq is outside log_start to next_seq, no other row.
--     Then batches in order, with null log_start and next_seq.
--   seek_time(t int[], times timestamptz[]) -> topic_id, seq; no row: absent

-- Internal
create function topics_changed() returns void language sql as $$
  update log set topics_version = topics_version + 1 $$;

create function create_topic(topic_name text, partitions int, retention text, millis bigint)
returns int language plpgsql as $$
declare t int;
begin
  insert into topic (name, partitions, retention, retention_millis)
    values (topic_name, create_topic.partitions, create_topic.retention, millis)
    on conflict (name) where deleted_at is null do nothing returning topic_id into t;
  if t is not null then
    insert into sequencing (topic_id, next_seq) values (t, 0);
    perform topics_changed();
  end if;
  return t;
end $$;

create function change_topic(t int, partitions int, retention text, millis bigint)
returns void language plpgsql as $$
declare before int;
begin
  select x.partitions into before from topic x where topic_id = t and deleted_at is null
    for update;
  if not found then
    raise exception 'Cannot change topic %: there is no such topic.', t using errcode = 'BS003';
  elsif partitions < before then
    raise exception 'Cannot change topic %: % partitions are fewer than the % it has.',
      t, partitions, before using errcode = 'BS006';
  end if;
  update topic x set partitions = change_topic.partitions, retention = change_topic.retention,
    retention_millis = millis where topic_id = t;
  perform topics_changed();
end $$;

-- The name is free at once. Trims remove the batches, also those of publishes under way.
create function delete_topic(topic_name text) returns int language plpgsql as $$
declare t int;
begin
  update topic set deleted_at = log_clock() where name = topic_name and deleted_at is null
    returning topic_id into t;
  if found then
    delete from group_partition where topic_id = t;
    perform topics_changed();
  end if;
  return t;
end $$;

create function find_topics(names text[])
returns table (topic_id int, name text, partitions int, retention text, retention_millis bigint)
language plpgsql stable as $$
begin
  if names is null then
    return query select t.topic_id, t.name, t.partitions, t.retention, t.retention_millis
      from topic t where t.deleted_at is null order by t.name;
  else
    return query select t.topic_id, t.name, t.partitions, t.retention, t.retention_millis
      from topic t where t.deleted_at is null and t.name = any (names) order by t.name;
  end if;
end $$;

create function topics_version() returns bigint language sql stable as $$
  select topics_version from log $$;

create function look(topics int[])
returns table (topic_id int, log_start bigint, next_seq bigint, is_staged boolean)
language plpgsql stable as $$
begin
  return query
    select t.topic_id, t.log_start, s.next_seq,
        exists (select from inbox i where i.topic_id = t.topic_id and i.id > s.max_id)
        or exists (select from unnest(s.open) o (xid)
          cross join lateral (select from inbox i where i.topic_id + 0 = t.topic_id
            and i.xid = o.xid and i.id + 0 <= s.max_id offset 0) x)
        or exists (select from inbox i where i.topic_id + 0 = t.topic_id and i.xid >= s.next_xid
          and i.id + 0 <= s.max_id)
      from unnest(topics) as k (t)
      join topic t on t.topic_id = k.t and t.deleted_at is null
      cross join lateral (select * from sequencing s where s.topic_id = k.t
        order by s.next_seq desc limit 1) s;
end $$;

-- Gives staged batches their places, in a transaction of its own. A full queue of notifications
-- keeps no batch from its place.
create function sequence_topic(t int) returns bigint language plpgsql as $$
declare
  most constant int := 5000;
  last sequencing%rowtype;
  seen pg_snapshot;
  moved bigint[];
  n int;
  now timestamptz;
begin
  perform need_read_committed('sequence_topic');
  if not pg_try_advisory_xact_lock(lock_class('sequence'), t) then
    return null;
  end if;
  select * into last from sequencing where topic_id = t order by next_seq desc limit 1;
  if not found or exists (select from topic where topic_id = t and deleted_at is not null) then
    return 0;
  end if;
  -- One statement, so the snapshot is the one that the rows were seen with. `topic_id + 0` is for the
  -- index on xid, `id + 0` keeps off the primary key, `offset 0` looks up each open transaction by
  -- itself, and rows are deleted by their place: no plan may pass the dead rows.
  with late as (
      select i.place, i.id from unnest(last.open) o (xid)
        cross join lateral (select y.ctid as place, y.id from inbox y where y.topic_id + 0 = t
          and y.xid = o.xid and y.id + 0 <= last.max_id offset 0) i
      union all
      select i.ctid, i.id from inbox i where i.topic_id + 0 = t
        and i.xid >= last.next_xid and i.id + 0 <= last.max_id),
    new as (select i.ctid as place, i.id from inbox i
      where i.topic_id = t and i.id > last.max_id order by i.id limit most),
    picked as (select place from (select * from late union all select * from new) x
      order by id limit most),
    gone as (delete from inbox where ctid = any (array(select place from picked)) returning id)
  select array_agg(id order by id), pg_current_snapshot() into moved, seen from gone;
  n := coalesce(array_length(moved, 1), 0);
  if n = 0 then
    return 0;
  end if;
  now := greatest(log_clock(), last.committed_at);
  insert into commit_order
    select t, last.next_seq + u.o - 1, u.i, now from unnest(moved) with ordinality as u (i, o);
  delete from sequencing where topic_id = t and next_seq = last.next_seq;
  -- If late rows alone filled the call, some of them may be left: what was known stays true.
  if n = most and moved[n] <= last.max_id then
    insert into sequencing values
      (t, last.next_seq + n, last.max_id, last.next_xid, last.open, now);
  else
    insert into sequencing values (t, last.next_seq + n, greatest(last.max_id, moved[n]),
      pg_snapshot_xmax(seen), array(select pg_snapshot_xip(seen)), now);
  end if;
  -- Only here: at commit, NOTIFY takes a lock that all sessions of the database share. If the queue
  -- is full, because some session listens in a transaction that does not end, the commit would fail:
  -- then no hint is sent, and readers find the batches by looking.
  if pg_notification_queue_usage() < 0.5 then
    perform pg_notify(current_schema(), t::text);
  end if;
  return n;
end $$;

create function read_order(t int, from_seq bigint, max_rows int, max_bytes bigint, mark bigint)
returns table (seq bigint, id bigint, committed_at timestamptz, entries bytea, log_start bigint,
  next_seq bigint)
language plpgsql stable as $$
declare read bigint := 0; is_inside boolean;
begin
  select x.log_start into log_start from topic x where x.topic_id = t and x.deleted_at is null;
  if not found then
    raise exception 'Cannot read topic %: there is no such topic.', t using errcode = 'BS003';
  end if;
  select s.next_seq into next_seq from sequencing s where s.topic_id = t
    order by s.next_seq desc limit 1;
  select o.seq, o.id, o.committed_at, b.entries into seq, id, committed_at, entries
    from commit_order o join batch b on b.id = o.id where o.topic_id = t and o.seq = mark;
  is_inside := from_seq >= log_start and from_seq <= next_seq;
  return next;
  if not is_inside then
    return;
  end if;
  log_start := null;
  next_seq := null;
  -- offset 0: row by row, so that the limit of bytes ends the scan.
  for seq, id, committed_at, entries in
    select o.seq, o.id, o.committed_at, b.entries from commit_order o
      cross join lateral (select x.entries from batch x where x.id = o.id offset 0) b
      where o.topic_id = t and o.seq >= from_seq order by o.seq limit max_rows
  loop
    return next;
    read := read + octet_length(entries);
    exit when read >= max_bytes;
  end loop;
end $$;

-- The first sequence that was committed at a time or later, else the end. committed_at never falls
-- along a topic, and sequences have no holes: so halve.
create function seek_time(topics int[], times timestamptz[])
returns table (topic_id int, seq bigint) language plpgsql stable as $$
declare low bigint; high bigint; middle bigint; since timestamptz;
begin
  for topic_id, since, low, high in
    select t.topic_id, k.since, t.log_start, s.next_seq from unnest(topics, times) as k (t, since)
      join topic t on t.topic_id = k.t and t.deleted_at is null
      cross join lateral (select x.next_seq from sequencing x where x.topic_id = k.t
        order by x.next_seq desc limit 1) s
  loop
    while low < high loop
      middle := (low + high) / 2;
      if (select o.committed_at from commit_order o
          where o.topic_id = seek_time.topic_id and o.seq = middle) < since then
        low := middle + 1;
      else
        high := middle;
      end if;
    end loop;
    seq := low;
    return next;
  end loop;
end $$;
