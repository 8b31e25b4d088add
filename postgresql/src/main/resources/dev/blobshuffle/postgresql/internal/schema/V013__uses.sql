-- What a client role may do: publish, subscribe, administer. rights.sql says which functions that are.
alter table client_role add column uses text[] not null default '{publish,subscribe,administer}'
  check (uses <> '{}' and uses <@ '{publish,subscribe,administer}');

-- As in V002, but a full queue of notifications keeps no batch from its place.
create or replace function sequence_topic(t int) returns bigint language plpgsql as $$
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
