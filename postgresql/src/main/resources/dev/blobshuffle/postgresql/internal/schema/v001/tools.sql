-- What operators ask about batches. No application calls it.
--
--   batch_origins(ids bigint[]) -> id, writer text, bytes bigint, latest bigint; no row: gone

-- Who published batches: no row for a batch that is gone, a null writer for one from the outbox.
create function batch_origins(ids bigint[])
returns table (id bigint, writer text, bytes bigint, latest bigint)
language plpgsql stable as $$
begin
  return query select b.id, w.name, b.bytes, b.latest from batch b
    left join writer w on w.writer_id = b.writer_id where b.id = any (ids) order by b.id;
end $$;
