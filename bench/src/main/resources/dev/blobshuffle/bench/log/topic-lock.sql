-- A log in which a commit takes its place from the row of its topic. The row stays locked until the
-- commit has returned, so commits of one topic follow each other.
create table topic (topic_id int primary key, next_seq bigint not null) with (fillfactor = 50);
create table writer (writer_id int primary key, epoch int not null, next_no bigint not null)
  with (fillfactor = 50);
create table commit_log (
  topic_id int,
  seq bigint,
  blob bytea not null unique,
  writer_id int not null,
  entries bytea not null,
  committed_at timestamptz not null default clock_timestamp(),
  primary key (topic_id, seq)
);
alter table commit_log alter column entries set storage external;

create function publish(w int, e int, no bigint, t int, its_blob bytea, its_entries bytea)
returns bigint language plpgsql as $$
declare place bigint;
begin
  update writer set next_no = no + 1 where writer_id = w and epoch = e and next_no = no;
  if not found then
    raise exception 'Cannot publish: another number or epoch is expected.';
  end if;
  update topic set next_seq = next_seq + 1 where topic_id = t returning next_seq - 1 into place;
  insert into commit_log values (t, place, its_blob, w, its_entries);
  return place;
end $$;

insert into topic values (1, 0);
