-- The console of operators lists stored files by state, and searches them by the beginning of their
-- name or of their SHA-256. The previous version does not use these indexes.
create index files_newest on files (uploaded_at desc, uid desc);
create index files_by_state on files (scan, uploaded_at desc, uid desc) where scan <> 'clean';
create index files_name_search on files (lower(filename) text_pattern_ops);
create index files_checksum_search on files (lower(checksum) text_pattern_ops);
