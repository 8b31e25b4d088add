-- Runs after migrations, every time. Each function that clients call runs with the owner's rights
-- and in this schema, whatever the caller's search_path is. All others are for those functions only.
-- Plans must not depend on how full a table was when a session made them: no sequential scans. Where
-- there is no other plan, that makes it look so costly that the server would compile it: no JIT.
do $$
declare
  internal constant name[] := array['log_clock', 'minute_of', 'lock_class', 'need_read_committed',
    'move_positions', 'need_young', 'next_number', 'keep_number', 'need_free_numbers',
    'topics_changed', 'need_no_members', 'trim_end', 'remove_batches', 'trim_staged', 'key_hash',
    'with_length'];
  this constant name := current_schema();
  f record;
  r record;
begin
  execute format('revoke all on all tables in schema %I from public', this);
  execute format('revoke all on all sequences in schema %I from public', this);
  execute format('revoke all on all functions in schema %I from public', this);
  for f in select p.oid::regprocedure as signature from pg_proc p
      where p.pronamespace = (select oid from pg_namespace where nspname = this)
        and not p.proname = any (internal) loop
    execute format('alter function %s security definer', f.signature);
    execute format('alter function %s set search_path = %I, pg_temp', f.signature, this);
    execute format('alter function %s set enable_seqscan = off', f.signature);
    execute format('alter function %s set jit = off', f.signature);
  end loop;
  for r in select c.name from client_role c join pg_roles p on p.rolname = c.name loop
    execute format('grant usage on schema %I to %I', this, r.name);
    for f in select p.oid::regprocedure as signature from pg_proc p
        where p.pronamespace = (select oid from pg_namespace where nspname = this)
          and not p.proname = any (internal) loop
      execute format('grant execute on function %s to %I', f.signature, r.name);
    end loop;
  end loop;
end $$;
