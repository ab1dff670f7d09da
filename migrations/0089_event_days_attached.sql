-- "create table … partition of" locks the parent against every reader and writer, and so waits for a
-- backup that reads it, with all writers of events behind it. Attaching a table locks neither.
create or replace function make_event_days(first date, last date) returns void language plpgsql as $$
declare
  one date;
  suffix text;
begin
  for one in select d::date from generate_series(first, last, interval '1 day') d loop
    suffix = to_char(one, 'YYYYMMDD');
    if to_regclass('event_packs_' || suffix) is null then
      execute format(
        'create table %I (like event_packs including defaults including storage)
          with (autovacuum_enabled = off, toast.autovacuum_enabled = off)',
        'event_packs_' || suffix);
      execute format('alter table event_packs attach partition %I for values from (%L) to (%L)',
        'event_packs_' || suffix, one, one + 1);
    end if;
    if to_regclass('event_keys_' || suffix) is null then
      execute format(
        'create table %I (like event_keys including defaults) with (autovacuum_enabled = off)',
        'event_keys_' || suffix);
      execute format('create unique index on %I (event_key)', 'event_keys_' || suffix);
      execute format('alter table event_keys attach partition %I for values from (%L) to (%L)',
        'event_keys_' || suffix, one, one + 1);
    end if;
  end loop;
end $$;
