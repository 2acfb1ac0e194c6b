import type { ErrorSpec } from '@fleet/kernel'

const keepsAnswering = 'The private DNS still serves the previous names.'

/** Faults of the private DNS; each names the `vpn` Node in `details.node`. */
export const dnsErrors = {
  'app-dev.projection_busy': {
    status: 409,
    message: 'Another operation is publishing private configuration.',
    retry: 'wait',
  },
  'dns.busy': {
    status: 409,
    message: 'Another operation is changing the private DNS on the Node.',
    retry: 'wait',
  },
  'dns.not_installed': {
    status: 409,
    message: 'The private DNS is not installed on the `vpn` Node. Converge the Node with `--force` first.',
    retry: 'none',
  },
  'dns.package_missing': {
    status: 409,
    message: 'The Node lacks the package `dnsmasq-base`.',
    retry: 'none',
  },
  'dns.write_failed': {
    status: 502,
    message: `The names could not be written on the Node. ${keepsAnswering}`,
    retry: 'repeat',
  },
  'dns.unconfirmed': {
    status: 502,
    message: `The listener did not load the names in time. ${keepsAnswering}`,
    retry: 'repeat',
  },
  'dns.self_test_failed': {
    status: 502,
    message: `The listener of this release does not work on the Node. ${keepsAnswering}`,
    retry: 'none',
  },
  'dns.start_failed': {
    status: 502,
    message: 'The private DNS does not start on the Node. Its units, files and services were rolled back.',
    retry: 'repeat',
  },
  'dns.publication_failed': {
    status: 502,
    message: 'The private DNS could not be changed on the Node.',
    retry: 'repeat',
  },
} as const satisfies Record<string, ErrorSpec>

/** What an operation that changes private names can answer besides the codes of commands. */
export const publicationErrors = [
  'app-dev.projection_busy',
  'dns.busy',
  'dns.not_installed',
  'dns.write_failed',
  'dns.unconfirmed',
  'dns.start_failed',
  'dns.publication_failed',
] as const satisfies readonly (keyof typeof dnsErrors)[]
