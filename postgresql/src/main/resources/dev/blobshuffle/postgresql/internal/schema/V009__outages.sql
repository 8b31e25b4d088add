-- A database that was away moves no partition.
--
-- Signature
--   revive_members(group, member uuid, lease interval) -> how many members it revived

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
