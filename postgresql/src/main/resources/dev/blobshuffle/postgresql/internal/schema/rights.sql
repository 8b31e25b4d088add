-- Runs after every run of the migrations. Each function for clients runs with the owner's rights
-- and in this schema, whatever the caller's search_path is. Only these functions may call the
-- others. Plans must not depend on the size of a table when a session made them, so sequential
-- scans are off. If there is no other plan, that makes the plan look so costly that the server
-- would compile it, so JIT is off.
--
-- A function's comment names its callers: clients that publish, subscribe or administer, or all.
do $$
declare
  internal constant name[] := array['log_clock', 'minute_of', 'lock_class', 'need_read_committed',
    'move_positions', 'need_young', 'next_number', 'keep_number', 'need_free_numbers',
    'topics_changed', 'need_no_members', 'trim_end', 'remove_batches', 'trim_staged', 'key_hash',
    'with_length', 'add_entries', 'is_active', 'trim_writers'];
  publishing constant name[] := array['init_writer', 'was_committed', 'publish', 'outbox_publish'];
  subscribing constant name[] := array['read_order', 'seek_time', 'lock_group', 'group_members',
    'group_partitions', 'put_member', 'renew_member', 'revive_members', 'drop_member',
    'assign_partitions', 'commit_positions'];
  administering constant name[] := array['create_topic', 'change_topic', 'delete_topic',
    'set_positions', 'delete_group', 'batch_origins', 'trim_topics', 'unreferenced_blobs',
    'unneeded_blobs', 'bury', 'tombstones_due', 'tombstones_due_before', 'tombstones_done',
    'generations', 'generation_listed', 'forget_generations'];
  this constant name := current_schema();
  use text;
  f record;
  r record;
begin
  execute format('revoke all on all tables in schema %I from public', this);
  execute format('revoke all on all sequences in schema %I from public', this);
  execute format('revoke all on all functions in schema %I from public', this);
  for r in select c.name, c.uses from client_role c join pg_roles p on p.rolname = c.name loop
    execute format('grant usage on schema %I to %I', this, r.name);
  end loop;
  for f in select p.oid::regprocedure as signature, p.proname as name from pg_proc p
      where p.pronamespace = (select oid from pg_namespace where nspname = this)
        and not p.proname = any (internal) loop
    use := case when f.name = any (publishing) then 'publish'
      when f.name = any (subscribing) then 'subscribe'
      when f.name = any (administering) then 'administer'
      else 'all' end;
    execute format('alter function %s security definer', f.signature);
    execute format('alter function %s set search_path = %I, pg_temp', f.signature, this);
    execute format('alter function %s set enable_seqscan = off', f.signature);
    execute format('alter function %s set jit = off', f.signature);
    execute format('comment on function %s is %L', f.signature, use);
    for r in select c.name, c.uses from client_role c join pg_roles p on p.rolname = c.name loop
      if use = 'all' or use = any (r.uses) then
        execute format('grant execute on function %s to %I', f.signature, r.name);
      else
        execute format('revoke execute on function %s from %I', f.signature, r.name);
      end if;
    end loop;
  end loop;
end $$;
