import type { ErrorSpec } from '@fleet/kernel'

export const environmentErrors = {
  'env.owner_unavailable': {
    status: 409,
    message: 'The Instance is not active and placed, or lacks the one healthy Route its configuration needs.',
    retry: 'none',
  },
  'env.import_conflict': {
    status: 409,
    message: 'Some keys of the file are stored already. Import with replace to take the file values.',
    retry: 'change',
  },
  'env.import_source_missing': {
    status: 404,
    message: 'The Instance has no .env file at its recorded place.',
    retry: 'none',
  },
  'env.source_unsafe': {
    status: 409,
    message: 'The .env file on the Node is not one that may be read or replaced.',
    retry: 'none',
  },
  'env.configuration_invalid': {
    status: 422,
    message: 'A key or value breaks a rule of the environment configuration.',
    retry: 'change',
  },
  'env.reference_unavailable': {
    status: 409,
    message: 'A stored value holds a placeholder that cannot be resolved.',
    retry: 'change',
  },
  'env.operation_busy': {
    status: 409,
    message: 'Another operation holds this Instance. Repeat the request when it has ended.',
    retry: 'wait',
  },
  'env.sync_unconfirmed': {
    status: 409,
    message: 'The connection ended before the Node confirmed the write. Repeat the request.',
    retry: 'repeat',
  },
  'env.sync_would_drop_keys': {
    status: 409,
    message: 'The file on the Node has keys that the stored configuration lacks. Import or store them first.',
    retry: 'change',
  },
  'env.write_failed': {
    status: 502,
    message: 'The Node could not write the .env file; the old file is as it was.',
    retry: 'wait',
  },
} as const satisfies Record<string, ErrorSpec>
