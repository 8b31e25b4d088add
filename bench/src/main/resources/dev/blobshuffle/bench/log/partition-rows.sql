-- A log with an offset per partition. A commit locks all of its partitions in the order of their
-- numbers, moves their ends, and stores a row for each. All of it by sets, not row by row.
create table partition_end (topic_id int, part int, next_offset bigint not null,
  primary key (topic_id, part)) with (fillfactor = 50);
create table file (file_id bigint generated always as identity primary key,
  blob bytea not null unique, head bytea not null, bytes bigint not null,
  committed_at timestamptz not null default clock_timestamp());
create table run (
  topic_id int,
  part int,
  last_offset bigint,
  first_offset bigint not null,
  file_id bigint not null,
  place bigint not null,
  length int not null,
  primary key (topic_id, part, last_offset)
);

create function publish(t int, its_blob bytea, its_head bytea, parts int[], lengths int[])
returns bigint language plpgsql as $$
declare f bigint;
begin
  insert into file (blob, head, bytes)
    values (its_blob, its_head, (select sum(l) from unnest(lengths) l)) returning file_id into f;
  perform from partition_end e where e.topic_id = t and e.part = any (parts)
    order by e.part for update;
  with moved as (
    update partition_end e set next_offset = e.next_offset + 1
      where e.topic_id = t and e.part = any (parts) returning e.part, e.next_offset)
  insert into run
    select t, m.part, m.next_offset - 1, m.next_offset - 1, f,
        sum(k.l) over (order by m.part) - k.l, k.l
      from moved m join unnest(parts, lengths) as k (q, l) on k.q = m.part;
  return f;
end $$;
