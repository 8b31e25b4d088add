-- The tables of a commit log: one schema per tenant. docs/decisions/0023-postgresql-log.md
--
-- Rows that change with every commit are not updated: a new row goes above the old one, and readers
-- take the highest. While another session holds an old snapshot, nobody can remove dead rows. An
-- updated row would then be found only behind all its former versions.

create table log (
  log_id uuid not null default gen_random_uuid(),
  format int not null default 1,
  -- Minutes after which a blob may not be published any more, the same for all clients.
  max_age int not null default 3 check (max_age between 1 and 1440),
  -- Rises with each change of topics, so that a group notices it.
  topics_version bigint not null default 0,
  -- The topic that was trimmed last: the next trim begins behind it.
  trimmed_topic int not null default 0,
  -- Added to the clock, by tests.
  clock_shift interval not null default '0'
);
create unique index log_is_one_row on log ((true));
insert into log default values;

create table topic (
  topic_id int generated always as identity primary key,
  name text not null check (name <> ''),
  partitions int not null check (partitions between 1 and 100000),
  -- forever, time (for retention_millis after the commit), or consumed (by all groups)
  retention text not null check (retention in ('forever', 'time', 'consumed')),
  -- With `consumed`: the time after which a group without members counts as abandoned; null: never.
  retention_millis bigint check (retention_millis > 0),
  -- The first sequence that is left.
  log_start bigint not null default 0,
  deleted_at timestamptz,
  -- When a deleted topic was found empty a day after its deletion. Trims pass it over from then on.
  purged_at timestamptz,
  constraint topic_retention check (case retention when 'time' then retention_millis is not null
    when 'forever' then retention_millis is null else true end)
) with (fillfactor = 50);
create unique index topic_name on topic (name) where deleted_at is null;

create table writer (
  writer_id bigint generated always as identity primary key,
  name text not null unique check (name <> ''),
  epoch int not null default 1,
  -- When the writer was opened, or its last batch removed.
  active_at timestamptz not null default clock_timestamp()
);

-- The first number of each epoch, so that was_committed holds for ever.
create table writer_epoch (
  writer_id bigint not null,
  epoch int not null,
  first_no bigint not null,
  primary key (writer_id, epoch)
);

-- The next number of a writer whose batches do not tell it, see writers.sql: one row per writer.
create table writer_number (
  writer_id bigint not null,
  next_no bigint not null,
  primary key (writer_id, next_no)
) with (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 2000);

-- An id is drawn after its transaction has a number of its own (xid) and after that of every batch
-- that was committed before. The identity must not have a cache: ids rise with time.
create table batch (
  id bigint generated always as identity primary key,
  topic_id int not null,
  -- Null: published through the outbox.
  writer_id bigint,
  writer_no bigint,
  bytes bigint not null check (bytes >= 0),
  latest bigint not null,
  entries bytea not null check (octet_length(entries) between 1 and 65536),
  blobs bytea[],
  unique (writer_id, writer_no)
);
-- Entries are compressed or random already.
alter table batch alter column entries set storage external;

-- Committed, not yet in order.
create table inbox (
  topic_id int not null,
  id bigint not null,
  xid xid8 not null default pg_current_xact_id(),
  primary key (topic_id, id)
) with (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 2000);
-- An expression, so that each query fits one index only. With statistics of a moment, the planner
-- would take the other one, and pass all dead rows of the topic.
create index inbox_xid on inbox ((topic_id + 0), xid);

-- committed_at: when the batch got its place. It never falls along a topic.
create table commit_order (
  topic_id int not null,
  seq bigint not null,
  id bigint not null,
  committed_at timestamptz not null,
  primary key (topic_id, seq)
);

-- The last sequencing of each topic: one row per topic, see above. With it, looking into the inbox
-- costs the same however many dead rows the inbox has:
--
--   Each inbox row of the topic with an id up to max_id is gone for ever, except those of
--   transactions that the sequencing's snapshot did not see: an xid in `open`, or from next_xid on.
--
-- Why: the sequencing moved each row it saw up to max_id. A row it did not see belongs to a
-- transaction that had not ended for the snapshot, which is what `open` and next_xid name. A row
-- with an id drawn after the snapshot has a higher id than all rows in it. Those three sets are all
-- rows there can be. An id alone would not do: ids become visible in another order than drawn.
create table sequencing (
  topic_id int not null,
  next_seq bigint not null,
  max_id bigint not null default 0,
  next_xid xid8 not null default '0',
  open xid8[] not null default '{}',
  committed_at timestamptz not null default '-infinity',
  primary key (topic_id, next_seq)
) with (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 2000);

-- Blobs are the ids of core, 20 bytes, big-endian: generation (4), writer (8), sequence (8).
create table blob_ref (
  blob bytea not null check (octet_length(blob) = 20),
  id bigint not null,
  primary key (blob, id)
);
create table unreferenced (blob bytea primary key);
create table tombstone (
  blob bytea primary key,
  delete_after timestamptz not null,
  -- The last claim before the tombstone. Whoever deletes the blob has made a later one.
  era bigint not null default 0
);
create index tombstone_due on tombstone (delete_after);
create table generation (
  minute int primary key,
  listed_at timestamptz not null
);

create table group_state (
  group_id text primary key check (group_id <> ''),
  generation bigint not null default 0,
  -- log.topics_version when partitions were last assigned
  topics_version bigint not null default -1,
  -- The last join, leave, seek or change of members. A member's lease tells the time after it.
  active_at timestamptz not null default clock_timestamp()
) with (fillfactor = 50);
create table member (
  group_id text not null,
  member_id uuid not null,
  zone text not null,
  topics int[] not null,
  lease_until timestamptz not null,
  primary key (group_id, member_id)
) with (fillfactor = 50);
create table group_partition (
  group_id text not null,
  topic_id int not null,
  part int not null,
  member_id uuid,
  generation bigint not null default 0,
  wanted_by uuid,
  -- seq << 24 | index. Null: the group has never committed a position here.
  pos bigint check (pos >= 0),
  metadata text,
  primary key (group_id, topic_id, part)
) with (fillfactor = 50);
create index group_partition_member on group_partition (group_id, member_id);
create index group_partition_topic on group_partition (topic_id);

create table claim (
  -- In the order in which claims were remembered.
  seq bigint generated always as identity primary key,
  claim_id text not null unique check (claim_id ~ '^[0-9a-f]{32}$'),
  -- Of the register's value that holds it.
  counter bigint not null
);

create table instance (
  id bigint primary key,
  announcement text not null check (length(announcement) between 1 and 2000),
  valid_until timestamptz not null
) with (fillfactor = 50, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 1000);

-- Who may call the functions: rights.sql says which uses a function has.
create table client_role (
  name name primary key,
  uses text[] not null default '{publish,subscribe,administer}'
    check (uses <> '{}' and uses <@ '{publish,subscribe,administer}')
);
