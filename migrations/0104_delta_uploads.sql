-- A session whose bytes are a delta; the zip that the service composes of it gets this uid.
alter table upload_sessions
  add column composed_uid uuid,
  add column source_checksum text;

-- The checksum of the zip that the uploader packed, if the service composed the stored one.
alter table files add column source_checksum text;
