-- The part of the devices that a file is uploaded for: its build is staged once the file is clean.
-- Null for all devices.
alter table upload_sessions
  add column release_percent int,
  add constraint upload_sessions_release_percent check (release_percent between 1 and 100) not valid;
alter table files
  add column release_percent int,
  add constraint files_release_percent check (release_percent between 1 and 100) not valid;

-- A version of the service that does not know of the column would release the file to all devices.
-- It fails here, and the scan is repeated by one that does.
create function refuse_whole_release() returns trigger language plpgsql as $$
begin
  if exists (select from files f where f.uid = new.file_uid and f.release_percent < 100) then
    raise exception 'file % is for a part of the devices only', new.file_uid;
  end if;
  return new;
end $$;

create trigger refuse_whole_release before insert on channel_history for each row
  when (new.event = 'upload')
  execute function refuse_whole_release();

-- Sweeps find a zip that was composed of a delta by the hash of the one that its uploader packed.
create index if not exists files_source_content on files (source_checksum)
  where source_checksum is not null;
