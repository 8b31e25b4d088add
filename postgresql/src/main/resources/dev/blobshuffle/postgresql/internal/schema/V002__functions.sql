-- The functions of a commit log. Clients call these and have no rights on tables.
-- docs/decisions/0023-postgresql-log.md says why.
--
-- Signatures (t: topic's number; null arrays count as empty; times are timestamptz)
--   log_info() -> log_id uuid, format int, version int (of the schema), max_age int (minutes),
--       clock timestamptz, channel text (to listen to; the payload is t)
--   Writers
--     init_writer(name) -> writer_id bigint, epoch int, next_no bigint
--     was_committed(writer_id bigint, epoch int, no bigint) -> boolean
--     publish(writer_id, epoch, first_no, topics int[], bytes bigint[], latest bigint[],
--         entries bytea[], blobs bytea[], blob_of int[], group text, member uuid, g_topics int[],
--         g_parts int[], g_generations bigint[], g_positions bigint[], g_metadata text[])
--       -> status text, ids bigint[], next_no bigint
--       status OK; FENCED: the epoch is over; DUPLICATE: committed before, ids as they were then
--       (null where retention has removed the batch); GAP: the log expects next_no.
--       Only OK has changed anything. blobs[i] belongs to batch blob_of[i], from 1. group null: no
--       positions.
--     outbox_publish(topic_name text, entries bytea, bytes bigint, latest bigint) -> id bigint
--   Topics
--     create_topic(name, partitions int, retention text, millis bigint) -> t, null: name is taken
--     change_topic(t, partitions int, retention text, millis bigint) -> void
--     delete_topic(name) -> t, null: there is none
--     find_topics(names text[]) -> topic_id, name, partitions, retention, retention_millis
--       names null: all
--     look(t int[]) -> topic_id, log_start, next_seq, is_staged boolean; no row: absent
--     sequence_topic(t) -> how many batches it moved, at most 5,000; null: another session does it
--     read_order(t, from_seq bigint, max_rows int, max_bytes bigint, mark bigint)
--       -> seq, id, committed_at, entries, log_start, next_seq
--       The first row always: log_start and next_seq of the topic, and the batch at sequence `mark`
--       as it is now (seq, id, committed_at, entries; null if it is not there or mark is null). If
--       from_seq is outside log_start to next_seq, no other row.
--       Then batches in order, with null log_start and next_seq.
--     seek_time(t int[], times timestamptz[]) -> topic_id, seq; no row: absent
--   Groups (Java keeps the rules; a step is one transaction that begins with lock_group)
--     lock_group(group) -> generation, topics_version (at the last assignment), clock
--       Makes the group if there is none.
--     group_members(group) -> member_id, zone, topics int[], lease_until; live ones only
--     group_partitions(group, member uuid)
--       -> topic_id, part, member_id, generation, wanted_by, pos, metadata; member null: all
--     topics_version() -> bigint
--     put_member(group, member, zone, topics int[], lease interval) -> lease_until
--     renew_member(group, member, zone, topics int[], lease interval, generation bigint)
--       -> lease_until; null: something has changed, so do the whole step
--     drop_member(group, member) -> boolean
--     assign_partitions(group, generation bigint, topics_version bigint, topics int[], parts int[],
--         owners uuid[], generations bigint[], wanted uuid[]) -> void
--       Puts rows, keeps positions, waits for open commits of their positions, and removes members
--       whose lease has ended.
--     commit_positions(group, member, topics int[], parts int[], generations bigint[],
--         positions bigint[], metadata text[]) -> void
--     set_positions(group, topics int[], parts int[], positions bigint[]) -> void; no live member
--     find_group(group) -> generation; null: there is none
--     find_groups() -> group_id
--     delete_group(group) -> boolean; no live member
--     topic_zones(t int[]) -> topic_id, zone, members int
--   Retention
--     trim_topics() -> how many batches it removed, at most 1,000; null: another session does it
--     unreferenced_blobs(after_blob bytea, max int) -> blob; the oldest generations first; those
--       after one, or after an empty one
--     unneeded_blobs(blobs bytea[]) -> blob; those without a reference and without a tombstone
--     bury(minute int, blobs bytea[], grace interval) -> how many tombstones it put; null: later
--     tombstones_due(max int) -> blob
--     tombstones_done(blobs bytea[]) -> void
--     generations() -> minute, listed_at
--     generation_listed(minute int) -> void
--     forget_generations(minutes int[]) -> void
--   For operators
--     batch_origins(ids bigint[]) -> id, writer text, bytes bigint, latest bigint; no row: gone
--   Claims to stores
--     claim_ids() -> claim_id text
--     remember_claim(id text, counter bigint) -> void
--     forget_claims(before bigint, kept text[]) -> void
--     tombstones_due_before(claim text, max int) -> blob; tombstones older than that claim
--
-- Errors
--   BS001 a blob is too old to be published      BS002 the member does not own a partition
--   BS003 no such topic                          BS004 wrong kind of transaction
--   BS005 the group has members                  BS006 a change that is not allowed

-- Internal: the one place for the clock.
create function log_clock() returns timestamptz language sql volatile as $$
  select clock_timestamp() + clock_shift from log $$;

-- Internal: the generation in a blob's id.
create function minute_of(blob bytea) returns int language sql immutable strict as $$
  select (get_byte(blob, 0) << 24) | (get_byte(blob, 1) << 16)
       | (get_byte(blob, 2) << 8) | get_byte(blob, 3) $$;

-- Internal: locks of this schema. Tenants of one database must not share keys.
create function lock_class(kind text) returns int language sql stable as $$
  select hashtext(current_schema() || '/' || kind) $$;

-- Internal: such functions look at other sessions' work, so each statement needs a new snapshot.
create function need_read_committed(what text) returns void language plpgsql as $$
begin
  if current_setting('transaction_isolation') <> 'read committed' then
    raise exception 'Cannot run %: the transaction is %, and read committed is needed.',
      what, current_setting('transaction_isolation') using errcode = 'BS004';
  end if;
end $$;

create function log_info(out log_id uuid, out format int, out version int, out max_age int,
    out clock timestamptz, out channel text) language plpgsql as $$
begin
  select l.log_id, l.format, (select max(m.version) from migration m), l.max_age, log_clock(),
      current_schema()
    into log_id, format, version, max_age, clock, channel from log l;
end $$;

-- Fences the predecessor of that name. Waits for its open transaction.
create function init_writer(writer_name text, out writer_id bigint, out epoch int,
    out next_no bigint) language plpgsql as $$
begin
  perform need_read_committed('init_writer');
  insert into writer as w (name) values (writer_name)
    on conflict (name) do update set epoch = w.epoch + 1
    returning w.writer_id, w.epoch into writer_id, epoch;
  perform pg_advisory_xact_lock(lock_class('writer'), writer_id::int);
  select n.next_no into next_no from writer_number n where n.writer_id = init_writer.writer_id
    order by n.next_no desc limit 1;
  if next_no is null then
    next_no := 0;
    insert into writer_number values (writer_id, next_no);
  end if;
  insert into writer_epoch values (writer_id, epoch, next_no);
end $$;

-- Whether a number of that epoch was committed. Holds after trims, and after a successor has used
-- the number.
create function was_committed(w bigint, e int, no bigint) returns boolean
language plpgsql stable as $$
begin
  return no < coalesce(
    (select min(first_no) from writer_epoch where writer_id = w and epoch > e),
    (select next_no from writer_number where writer_id = w order by next_no desc limit 1));
end $$;

-- Internal: all positions or none. Locks in the order of the keys, as everybody does.
create function move_positions(g text, member uuid, topics int[], parts int[],
    generations bigint[], positions bigint[], metadatas text[]) returns void
language plpgsql as $$
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

-- Internal: refuses blobs that a sweeper may bury. The lock comes before the clock: a sweeper of
-- that generation waits for this transaction, or it came before and the clock says so.
create function need_young(blobs bytea[]) returns void language plpgsql as $$
declare m int; age int; generations int := lock_class('generation');
begin
  select max_age into age from log;
  for m in select distinct minute_of(b) from unnest(blobs) b order by 1 loop
    perform pg_advisory_xact_lock_shared(generations, m);
    if m < floor(extract(epoch from log_clock()) / 60) - age then
      raise exception 'Cannot publish a blob of generation %: it is older than % minutes.', m, age
        using errcode = 'BS001';
    end if;
  end loop;
  if exists (select from tombstone where blob = any (blobs)) then
    raise exception 'Cannot publish a blob: it is to be deleted.' using errcode = 'BS001';
  end if;
end $$;

create function publish(w bigint, e int, first_no bigint, topics int[], bytes bigint[],
    latest bigint[], entries bytea[], blobs bytea[], blob_of int[], g text, member uuid,
    g_topics int[], g_parts int[], g_generations bigint[], g_positions bigint[],
    g_metadata text[], out status text, out ids bigint[], out next_no bigint)
language plpgsql as $$
declare
  n int := greatest(coalesce(array_length(topics, 1), 0), 1);
  missing int;
begin
  -- A client that dies between this call and its commit must not hold locks for long. A commit
  -- that a failover would lose is not acknowledged, whatever the session says.
  perform set_config('idle_in_transaction_session_timeout', '10s', true);
  if current_setting('synchronous_commit') in ('off', 'local', 'remote_write') then
    perform set_config('synchronous_commit', 'on', true);
  end if;
  perform pg_advisory_xact_lock(lock_class('writer'), w::int);
  select x.next_no into next_no from writer_number x where x.writer_id = w
    order by x.next_no desc limit 1;
  if (select epoch from writer where writer_id = w) is distinct from e then
    status := 'FENCED';
    return;
  elsif next_no >= first_no + n then
    status := 'DUPLICATE';
    select coalesce(array_agg(b.id order by k.no), '{}') into ids
      from generate_series(first_no, first_no + coalesce(array_length(topics, 1), 0) - 1) k (no)
      left join batch b on b.writer_id = w and b.writer_no = k.no;
    return;
  elsif next_no <> first_no then
    status := 'GAP';
    return;
  end if;
  delete from writer_number x where x.writer_id = w and x.next_no = first_no;
  next_no := first_no + n;
  insert into writer_number values (w, publish.next_no);
  select t into missing from unnest(topics) t
    where not exists (select from topic where topic_id = t and deleted_at is null) limit 1;
  if found then
    raise exception 'Cannot publish to topic %: there is no such topic.', missing
      using errcode = 'BS003';
  end if;
  if blobs <> '{}' then
    perform need_young(blobs);
  end if;
  with b as (
    insert into batch (topic_id, writer_id, writer_no, bytes, latest, entries, blobs)
      select u.t, w, first_no + u.o - 1, u.s, u.x, u.c,
          (select array_agg(f.blob) from unnest(publish.blobs, blob_of) f (blob, k) where f.k = u.o)
        from unnest(topics, publish.bytes, publish.latest, publish.entries)
          with ordinality as u (t, s, x, c, o) order by u.o
      returning id, topic_id, writer_no, batch.blobs),
    i as (insert into inbox select topic_id, id from b),
    r as (insert into blob_ref select distinct f.blob, b.id from b, unnest(b.blobs) f (blob))
  select coalesce(array_agg(id order by writer_no), '{}') into ids from b;
  if g is not null then
    perform move_positions(g, member, g_topics, g_parts, g_generations, g_positions, g_metadata);
  end if;
  status := 'OK';
end $$;

-- From the caller's own transaction. Ids are drawn here, so publish after you have locked the rows
-- that the order of records follows from.
create function outbox_publish(topic_name text, entries bytea, bytes bigint, latest bigint)
returns bigint language plpgsql as $$
declare t int; i bigint; x xid8 := pg_current_xact_id(); -- before the id, see table batch
begin
  select topic_id into t from topic where name = topic_name and deleted_at is null;
  if not found then
    raise exception 'Cannot publish to topic %: there is no such topic.', topic_name
      using errcode = 'BS003';
  end if;
  insert into batch (topic_id, bytes, latest, entries)
    values (t, outbox_publish.bytes, outbox_publish.latest, outbox_publish.entries)
    returning id into i;
  insert into inbox values (t, i, x);
  return i;
end $$;

-- Gives staged batches their places. In a transaction of its own.
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
  -- Only here: at commit, NOTIFY takes a lock that all sessions of the database share.
  perform pg_notify(current_schema(), t::text);
  return n;
end $$;

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
