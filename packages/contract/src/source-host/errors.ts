import type { ErrorSpec } from '@fleet/kernel'

export const sourceHostErrors = {
  'git.host_unreachable': {
    status: 409,
    message: 'No SSH server answers the gateway there, so its host keys cannot be read.',
    retry: 'repeat',
  },
  'git.host_key_mismatch': {
    status: 409,
    message:
      'The Git host presents none of the keys with this fingerprint. `details.presented` has the fingerprints that it presents; nothing was stored.',
    retry: 'change',
  },
  'git.host_key_changed': {
    status: 409,
    message:
      'The SSH host key of the Git host is not the recorded one, so nothing was sent to it. If its operator announced a new key, run `fleet git-host:trust HOST --fingerprint FINGERPRINT` with the announced fingerprint.',
    retry: 'none',
  },
} as const satisfies Record<string, ErrorSpec>
