/** The storage key of a file. */
export const fileKey = ({ uid, game_uid }: { uid: string; game_uid: string }) =>
  `builds/${game_uid}/${uid}.zip`
