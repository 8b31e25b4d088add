-- Claims to stores: who may delete. docs/decisions/0024-claims-of-a-log.md
--
-- A copy of this database has the claims that came before the copy, and no later one of the
-- original.

create table claim (
  -- In the order in which claims were remembered.
  seq bigint generated always as identity primary key,
  claim_id text not null unique check (claim_id ~ '^[0-9a-f]{32}$'),
  -- Of the register's value that holds it.
  counter bigint not null
);

-- The last claim before the tombstone. Whoever deletes the blob has made a later one.
alter table tombstone add column era bigint not null default 0;

create function claim_ids() returns table (claim_id text) language plpgsql stable as $$
begin
  return query select c.claim_id from claim c;
end $$;

-- Waits for burials under way, so that each tombstone with an older era is committed before the
-- claim. The claim must be on the standbys before the store's register has it.
create function remember_claim(id text, counter bigint) returns void language plpgsql as $$
begin
  if current_setting('synchronous_commit') in ('off', 'local', 'remote_write') then
    perform set_config('synchronous_commit', 'on', true);
  end if;
  perform pg_advisory_xact_lock(lock_class('claim'), 0);
  insert into claim as c (claim_id, counter) values (id, remember_claim.counter)
    on conflict (claim_id) do nothing;
end $$;

create function forget_claims(before bigint, kept text[]) returns void language plpgsql as $$
begin
  delete from claim c where c.counter < before and c.claim_id <> all (kept);
end $$;

create function tombstones_due_before(claim text, most int) returns table (blob bytea)
language plpgsql as $$
declare now timestamptz := log_clock(); made bigint;
begin
  select c.seq into made from claim c where c.claim_id = tombstones_due_before.claim;
  return query select t.blob from tombstone t where t.delete_after <= now and t.era < made
    order by t.delete_after limit most;
end $$;

create function unneeded_blobs(candidates bytea[]) returns table (blob bytea)
language plpgsql stable as $$
begin
  return query select c from unnest(candidates) c
    where not exists (select from blob_ref f where f.blob = c)
      and not exists (select from tombstone t where t.blob = c);
end $$;

drop function unreferenced_blobs(int);
create function unreferenced_blobs(after_blob bytea, most int) returns table (blob bytea)
language plpgsql stable as $$
begin
  return query select u.blob from unreferenced u where u.blob > after_blob order by u.blob limit most;
end $$;

-- As before, with the era.
create or replace function bury(minute int, candidates bytea[], grace interval) returns int
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
