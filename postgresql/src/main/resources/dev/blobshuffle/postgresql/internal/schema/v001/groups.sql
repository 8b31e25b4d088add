-- Consumer groups. All steps lock rows of one group in one order: the group, its members, its
-- partitions by topic and number. Java keeps the rules; a step is one transaction that begins with
-- lock_group.
--
--   lock_group(group) -> generation, topics_version (at the last assignment), clock
--     Makes the group if there is none.
--   group_members(group) -> member_id, zone, topics int[], lease_until; live ones only
--   group_partitions(group, member uuid)
--     -> topic_id, part, member_id, generation, wanted_by, pos, metadata; member null: all
--   put_member(group, member, zone, topics int[], lease interval) -> lease_until
--   renew_member(group, member, zone, topics int[], lease interval, generation bigint)
--     -> version of the topics by which the group is assigned; null: something has changed, so do
--        the whole step
--   revive_members(group, member uuid, lease interval) -> how many members it revived
--   drop_member(group, member) -> boolean
--   assign_partitions(group, generation bigint, topics_version bigint, topics int[], parts int[],
--       owners uuid[], generations bigint[], wanted uuid[]) -> void
--     Puts rows, keeps positions, waits for open commits of their positions, and removes members
--     whose lease has ended.
--   commit_positions(group, member, topics int[], parts int[], generations bigint[],
--       positions bigint[], metadata text[]) -> void
--   set_positions(group, topics int[], parts int[], positions bigint[]) -> void; no live member
--   find_group(group) -> generation; null: there is none
--   find_groups() -> group_id
--   delete_group(group) -> boolean; no live member
--   topic_zones(t int[]) -> topic_id, zone, members int

-- The update locks the group, and notes that it is in use.
create function lock_group(g text, out generation bigint, out topics_version bigint,
    out clock timestamptz) language plpgsql as $$
begin
  perform need_read_committed('lock_group');
  insert into group_state (group_id) values (g) on conflict do nothing;
  update group_state s set active_at = log_clock() where group_id = g
    returning s.generation, s.topics_version into generation, topics_version;
  clock := log_clock();
end $$;

create function group_members(g text)
returns table (member_id uuid, zone text, topics int[], lease_until timestamptz)
language plpgsql as $$
declare now timestamptz := log_clock();
begin
  return query select m.member_id, m.zone, m.topics, m.lease_until from member m
    where m.group_id = g and m.lease_until > now order by m.member_id;
end $$;

create function group_partitions(g text, member uuid)
returns table (topic_id int, part int, member_id uuid, generation bigint, wanted_by uuid,
  pos bigint, metadata text)
language plpgsql stable as $$
begin
  if member is null then
    return query select p.topic_id, p.part, p.member_id, p.generation, p.wanted_by, p.pos,
      p.metadata from group_partition p where p.group_id = g order by p.topic_id, p.part;
  else
    return query select p.topic_id, p.part, p.member_id, p.generation, p.wanted_by, p.pos,
      p.metadata from group_partition p where p.group_id = g and p.member_id = member
      order by p.topic_id, p.part;
  end if;
end $$;

create function put_member(g text, member uuid, its_zone text, its_topics int[], lease interval)
returns timestamptz language plpgsql as $$
declare until timestamptz := log_clock() + lease;
begin
  insert into member as m values (g, member, its_zone, its_topics, until)
    on conflict (group_id, member_id)
    do update set zone = its_zone, topics = its_topics, lease_until = until;
  return until;
end $$;

-- A renewal that changes nothing but the lease: the same member in a group whose generation the
-- caller knows, whose members all live, and whose topics are as they were assigned.
create function renew_member(g text, member uuid, its_zone text, its_topics int[], lease interval,
    known bigint) returns bigint language plpgsql as $$
declare now timestamptz := log_clock(); version bigint;
begin
  select s.topics_version into version from group_state s where s.group_id = g
    and s.generation = known and s.topics_version = (select l.topics_version from log l);
  if not found
    or exists (select from member m where m.group_id = g and m.lease_until <= now) then
    return null;
  end if;
  update member m set lease_until = now + lease
    where m.group_id = g and m.member_id = member and m.zone = its_zone and m.topics = its_topics;
  if not found then
    return null;
  end if;
  return version;
end $$;

-- If no lease of a group holds when a known member renews, nobody could renew: the database was
-- away. Then all leases that ended together begin again. Whoever has died meanwhile loses its
-- partitions one lease later. A new member does not revive others: each start has a new id, so the
-- whole group may have been replaced.
create function revive_members(g text, member uuid, lease interval) returns int
language plpgsql as $$
declare now timestamptz := log_clock(); latest timestamptz; n int;
begin
  perform lock_group(g);
  select max(m.lease_until) into latest from member m where m.group_id = g;
  if latest is null or latest > now
    or not exists (select from member m where m.group_id = g and m.member_id = member) then
    return 0;
  end if;
  update member m set lease_until = now + lease
    where m.group_id = g and m.lease_until > latest - lease;
  get diagnostics n = row_count;
  return n;
end $$;

create function drop_member(g text, member uuid) returns boolean language plpgsql as $$
begin
  delete from member m where m.group_id = g and m.member_id = member;
  return found;
end $$;

-- The lock of a row waits for a commit of its position that is under way: the fence. Each call has
-- plans of its own, as in move_positions.
create function assign_partitions(g text, new_generation bigint, assigned_version bigint,
    topics int[], parts int[], owners uuid[], generations bigint[], wanted uuid[])
returns void language plpgsql set plan_cache_mode = force_custom_plan as $$
declare now timestamptz := log_clock();
begin
  update group_state set generation = new_generation, topics_version = assigned_version
    where group_id = g;
  delete from member m where m.group_id = g and m.lease_until <= now;
  perform from group_partition p join unnest(topics, parts) as k (t, q)
    on p.group_id = g and p.topic_id = k.t and p.part = k.q
    order by p.topic_id, p.part for update of p;
  insert into group_partition as p (group_id, topic_id, part, member_id, generation, wanted_by)
    select g, k.t, k.q, k.o, k.v, k.x
      from unnest(topics, parts, owners, generations, wanted) as k (t, q, o, v, x)
      join topic on topic_id = k.t and deleted_at is null order by k.t, k.q
    on conflict (group_id, topic_id, part) do update
      set member_id = excluded.member_id, generation = excluded.generation,
        wanted_by = excluded.wanted_by;
end $$;

create function commit_positions(g text, member uuid, topics int[], parts int[],
    generations bigint[], positions bigint[], metadatas text[]) returns void
language plpgsql as $$
begin
  perform move_positions(g, member, topics, parts, generations, positions, metadatas);
end $$;

-- Internal
create function need_no_members(g text) returns void language plpgsql as $$
declare now timestamptz := log_clock();
begin
  if exists (select from member m where m.group_id = g and m.lease_until > now) then
    raise exception 'Cannot change group %: it has members. Stop them first.', g
      using errcode = 'BS005';
  end if;
end $$;

-- A new generation, so that a member whose lease has ended cannot overwrite the positions. Each call
-- has plans of its own, as in move_positions.
create function set_positions(g text, topics int[], parts int[], positions bigint[])
returns void language plpgsql set plan_cache_mode = force_custom_plan as $$
begin
  perform lock_group(g);
  perform need_no_members(g);
  perform from group_partition p join unnest(topics, parts) as k (t, q)
    on p.group_id = g and p.topic_id = k.t and p.part = k.q
    order by p.topic_id, p.part for update of p;
  insert into group_partition as p (group_id, topic_id, part, pos)
    select g, k.t, k.q, k.x from unnest(topics, parts, positions) as k (t, q, x) order by k.t, k.q
    on conflict (group_id, topic_id, part) do update
      set pos = excluded.pos, metadata = null, member_id = null, wanted_by = null,
        generation = p.generation + 1;
end $$;

create function find_group(g text) returns bigint language plpgsql stable as $$
begin
  return (select s.generation from group_state s where s.group_id = g);
end $$;

create function find_groups() returns table (group_id text) language plpgsql stable as $$
begin
  return query select s.group_id from group_state s order by s.group_id;
end $$;

create function delete_group(g text) returns boolean language plpgsql as $$
begin
  perform need_read_committed('delete_group');
  perform from group_state s where s.group_id = g for update;
  if not found then
    return false;
  end if;
  perform need_no_members(g);
  delete from member m where m.group_id = g;
  perform from group_partition p where p.group_id = g order by p.topic_id, p.part for update;
  delete from group_partition p where p.group_id = g;
  delete from group_state s where s.group_id = g;
  return true;
end $$;

-- Live members of all groups by topic and zone.
create function topic_zones(of_topics int[])
returns table (topic_id int, zone text, members int) language plpgsql as $$
declare now timestamptz := log_clock();
begin
  return query select u.t, m.zone, count(*)::int from member m, unnest(m.topics) u (t)
    where m.lease_until > now and u.t = any (of_topics) group by u.t, m.zone;
end $$;
