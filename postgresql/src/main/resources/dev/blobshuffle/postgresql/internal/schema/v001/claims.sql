-- Claims to stores: who may delete. docs/decisions/0024-claims-of-a-log.md
--
-- A copy of this database has the claims that came before the copy, and no later one of the
-- original.
--
--   claim_ids() -> claim_id text
--   remember_claim(id text, counter bigint) -> void
--   forget_claims(before bigint, kept text[]) -> void

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
