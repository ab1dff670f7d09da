/** The storage key of a version of a save. */
export const saveKey = ({ uid, game_uid }: { uid: string; game_uid: string }) =>
  `saves/${game_uid}/${uid}`
