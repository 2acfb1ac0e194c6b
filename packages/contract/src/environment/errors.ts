import type { ErrorSpec } from '@fleet/kernel'

export const environmentErrors = {
  'env.target_ambiguous': {
    status: 409,
    message: 'The domain leads to several Instances. Name one of them by its id.',
    retry: 'change',
  },
  'env.owner_unavailable': {
    status: 409,
    message:
      'The Instance is not active on a Node, or its configuration needs a Route that is missing or unhealthy.',
    retry: 'none',
  },
  'env.import_conflict': {
    status: 409,
    message: 'Some keys of the file are already stored. Import with `replace` to use the values of the file.',
    retry: 'change',
  },
  'env.import_source_missing': {
    status: 404,
    message: 'The Instance has no .env file at its recorded path.',
    retry: 'none',
  },
  'env.source_unsafe': {
    status: 409,
    message: 'The .env file on the Node is not safe to read or replace.',
    retry: 'none',
  },
  'env.configuration_invalid': {
    status: 422,
    message: 'A key or value violates a rule of the environment configuration.',
    retry: 'change',
  },
  'env.reference_unavailable': {
    status: 409,
    message:
      'A stored value contains a placeholder that cannot be resolved, or two braces in a row that are none. Put a space between such braces.',
    retry: 'change',
  },
  'env.operation_busy': {
    status: 409,
    message: 'Another operation is changing this Instance.',
    retry: 'wait',
  },
  'env.owner_changed': {
    status: 409,
    message:
      'The Route got an Instance since its removal was asked for. Look at it (`fleet route:show`), then remove it with its Instance, or run the same command again if the Instance never served.',
    retry: 'change',
  },
  'env.sync_unconfirmed': {
    status: 409,
    message: 'The connection ended before the Node confirmed that the .env file was written.',
    retry: 'repeat',
  },
  'env.sync_would_drop_keys': {
    status: 409,
    message:
      'The .env file on the Node has keys that are not in the stored configuration. Import or add them first.',
    retry: 'change',
  },
  'env.testing_tracking_unknown': {
    status: 409,
    message:
      'Git of the checkout cannot say whether .env.testing is tracked, so nothing was written. Repair its `.git` directory on the Node, then sync again.',
    retry: 'wait',
  },
  'env.write_failed': {
    status: 502,
    message: 'The .env file could not be written on the Node. The previous file is unchanged.',
    retry: 'wait',
  },
} as const satisfies Record<string, ErrorSpec>
