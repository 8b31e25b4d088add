-- What the other files use. docs/decisions/0023-postgresql-log.md
--
-- Clients call functions and have no rights on tables. rights.sql says which functions are for
-- clients; all others are internal. In signatures, t is a topic's number, times are timestamptz,
-- and a null array counts as empty.
--
--   log_info() -> log_id uuid, format int, version int (of the schema), max_age int (minutes),
--       clock timestamptz, channel text (to listen to; the payload is t)
--
-- Errors of all functions
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
