-- The dump and the log that a report from the store announced go to a crash record of their own.
alter table bugs add column crash_uid uuid references crashes on delete set null;
create index bugs_crash on bugs (crash_uid) where crash_uid is not null;
