-- The outbox: publish from any language, in the caller's own transaction.
--
--   outbox_publish(topic text, key K, value V, header_names text[], header_values bytea[],
--       partition int, created bigint) -> id bigint
--     K: text or bytea. V: text, json, jsonb or bytea. Texts and JSON are published in UTF-8. A
--     literal without a type counts as a text, so nothing is read as bytea's escapes:
--     '{"path": "C:\\new"}' keeps its backslashes.
--     key, value: null if there is none. The others have defaults: no headers; the partition by
--     the key, as Kafka's default partitioner chooses it, or any one without a key; now, in
--     milliseconds since the Unix epoch.
--
-- Order: the place of a record is drawn in this call. Two transactions that change the same rows
-- keep their order if each calls after it has locked the rows.

-- Internal: Kafka's murmur2 of a key, made positive.
create function key_hash(key bytea) returns int language plpgsql immutable strict as $$
declare
  m constant bigint := 1540483477;
  mask constant bigint := 4294967295;
  n int := octet_length(key);
  h bigint := 2538058380 # octet_length(key)::bigint;
  k bigint;
  rest int := n - n % 4;
begin
  for i in 0 .. n / 4 - 1 loop
    k := get_byte(key, 4 * i) | (get_byte(key, 4 * i + 1) << 8) | (get_byte(key, 4 * i + 2) << 16)
      | (get_byte(key, 4 * i + 3)::bigint << 24);
    k := (k * m) & mask;
    k := ((k # (k >> 24)) * m) & mask;
    h := ((h * m) & mask) # k;
  end loop;
  if n % 4 = 3 then
    h := h # (get_byte(key, rest + 2)::bigint << 16);
  end if;
  if n % 4 >= 2 then
    h := h # (get_byte(key, rest + 1)::bigint << 8);
  end if;
  if n % 4 >= 1 then
    h := ((h # get_byte(key, rest)::bigint) * m) & mask;
  end if;
  h := ((h # (h >> 13)) * m) & mask;
  return ((h # (h >> 15)) & 2147483647)::int;
end $$;

-- Internal: a length and the bytes; -1 for null.
create function with_length(content bytea) returns bytea language sql immutable as $$
  select coalesce(int4send(octet_length(content)) || content, int4send(-1)) $$;

-- Internal: adds a batch of the outbox.
create function add_entries(topic_name text, entries bytea, bytes bigint, latest bigint)
returns bigint language plpgsql as $$
declare t int; i bigint; x xid8 := pg_current_xact_id(); -- before the id, see table batch
begin
  select topic_id into t from topic where name = topic_name and deleted_at is null;
  if not found then
    raise exception 'Cannot publish to topic %: there is no such topic.', topic_name
      using errcode = 'BS003';
  end if;
  insert into batch (topic_id, bytes, latest, entries)
    values (t, add_entries.bytes, add_entries.latest, add_entries.entries)
    returning id into i;
  insert into inbox values (t, i, x);
  return i;
end $$;

-- No literal here depends on the caller's standard_conforming_strings.
create function outbox_publish(topic text, key bytea, value bytea,
    header_names text[] default '{}', header_values bytea[] default '{}',
    partition int default null, created bigint default null)
returns bigint language plpgsql as $$
declare
  n int;
  chosen int := partition;
  at bigint := coalesce(created, floor(extract(epoch from log_clock()) * 1000)::bigint);
  entries bytea;
begin
  if topic is null then
    raise exception 'Cannot publish from the outbox: the topic is null. Name a topic.'
      using errcode = 'BS006';
  end if;
  select t.partitions into n from find_topics(array[topic]) t;
  if not found then
    raise exception 'Cannot publish to topic %: there is no such topic.', topic
      using errcode = 'BS003';
  end if;
  if chosen is null then
    chosen := coalesce(key_hash(key) % n, floor(random() * n)::int);
  end if;
  if chosen < 0 or chosen >= n then
    raise exception 'Cannot publish to partition % of topic %: it has %.', chosen, topic, n
      using errcode = 'BS006';
  end if;
  if coalesce(cardinality(header_names), 0) <> coalesce(cardinality(header_values), 0)
    or array_position(header_names, null) is not null then
    raise exception 'Cannot publish to topic %: % names of headers and % values.', topic,
      coalesce(cardinality(header_names), 0), coalesce(cardinality(header_values), 0)
      using errcode = 'BS006';
  end if;
  -- docs/format.md, "Record of the outbox".
  entries := decode('b701', 'hex') || int4send(chosen) || int8send(at) || with_length(key)
    || with_length(value) || int4send(coalesce(cardinality(header_names), 0))
    || coalesce((select string_agg(with_length(convert_to(h.name, 'UTF8')) || with_length(h.value),
        ''::bytea order by h.place)
      from unnest(header_names, header_values) with ordinality as h (name, value, place)), ''::bytea);
  if octet_length(entries) > 65536 then
    raise exception 'Cannot publish to topic %: the record has % bytes, and the outbox takes 65536.',
      topic, octet_length(entries) using errcode = 'BS006';
  end if;
  return add_entries(topic, entries,
    (coalesce(octet_length(key), 0) + coalesce(octet_length(value), 0))::bigint, at);
end $$;

-- One function for each pair of types.
do $$
declare
  k text;
  v text;
begin
  foreach k in array array['text', 'bytea'] loop
    foreach v in array array['text', 'json', 'jsonb', 'bytea'] loop
      continue when k = 'bytea' and v = 'bytea';
      execute format('create function outbox_publish(topic text, key %s, value %s,
            header_names text[] default ''{}'', header_values bytea[] default ''{}'',
            partition int default null, created bigint default null)
          returns bigint language plpgsql as $f$
          begin
            return outbox_publish(topic, %s, %s, header_names, header_values, partition, created);
          end $f$', k, v,
        case k when 'bytea' then 'key' else 'convert_to(key, ''UTF8'')' end,
        case v when 'bytea' then 'value' else 'convert_to(value::text, ''UTF8'')' end);
    end loop;
  end loop;
end $$;
