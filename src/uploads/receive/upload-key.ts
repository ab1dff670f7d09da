import { fileKey } from '../../builds/files/key.ts'

/** The storage key of uploaded bytes. The file may end up sharing the object of another file. */
export const uploadKey = ({ uid, game_uid }: { uid: string; game_uid: string }) =>
  fileKey({ object_uid: uid, game_uid })
