/** The storage key of a patch. */
export const patchKey = ({ uid, game_uid }: { uid: string; game_uid: string }) =>
  `patches/${game_uid}/${uid}`
