-- Where the instances of a log announce themselves to each other.
--
--   announce_instance(id bigint, announcement text, valid_for interval) -> id, announcement
--     All that are valid, this one included.
--   find_instances() -> id, announcement
--   withdraw_instance(id bigint) -> void

create function find_instances() returns table (id bigint, announcement text)
language plpgsql as $$
declare now timestamptz := log_clock();
begin
  return query select i.id, i.announcement from instance i where i.valid_until > now order by i.id;
end $$;

create function announce_instance(own bigint, said text, valid_for interval)
returns table (id bigint, announcement text) language plpgsql as $$
declare now timestamptz := log_clock();
begin
  insert into instance as i values (own, said, now + valid_for)
    on conflict on constraint instance_pkey
    do update set announcement = excluded.announcement, valid_until = excluded.valid_until;
  -- Those that ended long ago. Rows that another session holds are its to remove.
  delete from instance i where i.id in (
    select o.id from instance o where o.valid_until < now - interval '1 hour'
      order by o.id limit 100 for update skip locked);
  return query select * from find_instances();
end $$;

create function withdraw_instance(own bigint) returns void language plpgsql as $$
begin
  delete from instance i where i.id = own;
end $$;
