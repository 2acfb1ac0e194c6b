import type { Reasons } from '#/nodes/api.ts'

const place = {
  user_mismatch: ['env.source_unsafe', 'Commands on the Node run as another user than recorded.'],
  directory_missing: [
    'env.source_unsafe',
    'The application directory of the Instance does not exist on the Node.',
  ],
  directory_link: [
    'env.source_unsafe',
    'The application directory of the Instance is reached through a symbolic link.',
  ],
} as const satisfies Reasons

const storage = {
  storage_read_only: [
    'env.write_failed',
    'The storage of the Node is read-only there; the old .env file is as it was.',
  ],
  storage_full: [
    'env.write_failed',
    'The storage of the Node has no space left; the old .env file is as it was.',
  ],
} as const satisfies Reasons

/** Why a file is not read or replaced. */
export const INSPECT_REASONS: Reasons = {
  ...place,
  ...storage,
  link: ['env.source_unsafe', 'The .env file on the Node is a symbolic link.'],
  directory: ['env.source_unsafe', 'A directory stands in the place of the .env file on the Node.'],
  not_regular: ['env.source_unsafe', 'The .env file on the Node is no regular file.'],
  foreign_owner: ['env.source_unsafe', 'The .env file on the Node belongs to another user.'],
  unreadable: ['env.source_unsafe', 'The .env file on the Node cannot be read by its owner.'],
  too_large: ['env.source_unsafe', 'The .env file on the Node is larger than 1 MiB.'],
  directory_not_writable: [
    'env.write_failed',
    'The directory of the .env file is not writable on the Node; the old file is as it was.',
  ],
}

/** Why a file was not written. The old one is as it was, unless the code says that nobody knows. */
export const WRITE_REASONS: Reasons = {
  ...place,
  ...storage,
  write_failed: [
    'env.write_failed',
    'The .env file could not be written on the Node. The previous file is unchanged.',
  ],
  content_incomplete: [
    'env.write_failed',
    'The content did not arrive whole on the Node; the old .env file is as it was.',
  ],
  digest_missing: ['node.capability_missing', 'The Node has none of sha256sum, shasum and openssl.'],
  file_changed: [
    'env.sync_unconfirmed',
    'The .env file changed during the synchronization, so it was not replaced. Repeat the request.',
  ],
  not_confirmed: [
    'env.sync_unconfirmed',
    'Another .env file stands on the Node than the one just written. Repeat the request.',
  ],
}
