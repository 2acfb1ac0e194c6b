import type { FileName } from '#/environment/commands/place.ts'
import type { Reasons } from '#/nodes/api.ts'

const place = {
  user_mismatch: ['env.source_unsafe', 'Commands on the Node run as a different user from the recorded one.'],
  directory_missing: [
    'env.source_unsafe',
    'The application directory of the Instance does not exist on the Node.',
  ],
  directory_link: ['env.source_unsafe', 'The path of the application directory contains a symbolic link.'],
} as const satisfies Reasons

const storage = (file: FileName) =>
  ({
    storage_read_only: [
      'env.write_failed',
      `The storage of the Node is read-only. The previous ${file} file is unchanged.`,
    ],
    storage_full: [
      'env.write_failed',
      `The storage of the Node is full. The previous ${file} file is unchanged.`,
    ],
  }) as const satisfies Reasons

/** Why a file is not read or replaced. */
export const inspectReasons = (file: FileName): Reasons => ({
  ...place,
  ...storage(file),
  link: ['env.source_unsafe', `The ${file} file on the Node is a symbolic link.`],
  directory: ['env.source_unsafe', `There is a directory at the path of the ${file} file on the Node.`],
  not_regular: ['env.source_unsafe', `The ${file} file on the Node is not a regular file.`],
  foreign_owner: ['env.source_unsafe', `The ${file} file on the Node belongs to another user.`],
  unreadable: ['env.source_unsafe', `The owner of the ${file} file on the Node cannot read it.`],
  too_large: ['env.source_unsafe', `The ${file} file on the Node is larger than 1 MiB.`],
  directory_not_writable: [
    'env.write_failed',
    `The directory of the ${file} file on the Node is not writable. The previous file is unchanged.`,
  ],
})

/** Why a file was not written. The old one is as it was, unless the code says that nobody knows. */
export const writeReasons = (file: FileName): Reasons => ({
  ...place,
  ...storage(file),
  write_failed: [
    'env.write_failed',
    `The ${file} file could not be written on the Node. The previous file is unchanged.`,
  ],
  content_incomplete: [
    'env.write_failed',
    `The upload of the ${file} file was incomplete. The previous file is unchanged.`,
  ],
  digest_missing: ['node.capability_missing', 'The Node has neither sha256sum nor shasum nor openssl.'],
  file_changed: [
    'env.sync_unconfirmed',
    `The ${file} file on the Node changed during the synchronization, so it was not replaced. Repeat the request.`,
  ],
  not_flushed: [
    'env.sync_unconfirmed',
    `The ${file} file was written on the Node, but the name of it could not be brought to the disk (\`sync\`). Look after the disk, then repeat the request.`,
  ],
  not_confirmed: [
    'env.sync_unconfirmed',
    `The ${file} file on the Node changed right after it was written. Repeat the request.`,
  ],
})
