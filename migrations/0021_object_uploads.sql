-- Uploads whose bytes wait in an object store: what is there so far, and which numbers its parts may still have.
alter table upload_sessions add column staged jsonb, add column next_part integer not null default 1;
