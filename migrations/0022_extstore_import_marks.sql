-- What the last import left outlives the link: whoever unlinks and imports again is asked before their edits are overwritten.
-- Marks count for the app they came from; a row without one was written by the version before this.
alter table extstore_imports
  drop constraint extstore_imports_game_uid_fkey,
  add foreign key (game_uid) references listings on delete cascade,
  add column app_id bigint,
  -- Whom the last import credited: only those leave when the store does not name them any more.
  add column credits jsonb not null default '[]';
update extstore_imports i set app_id = k.app_id from extstore_links k where k.game_uid = i.game_uid;
