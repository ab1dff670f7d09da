-- One open report about a target from a network address, for people who are not signed in: another
-- mail address is no other reporter. A keyed hash, removed with the decision. The previous version
-- leaves it empty.
alter table reports add column network_hash bytea;
create unique index reports_open_network on reports (target_type, target_id, network_hash)
  where decided_at is null and network_hash is not null;
