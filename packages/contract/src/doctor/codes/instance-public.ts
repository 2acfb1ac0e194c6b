import type { DoctorCodeSpec } from './types.ts'

/** Repairs the ingress, on which these are reported. */
const converge = 'node:converge {node} --force'

/** Codes of the family `instance` about its public side, reported on the ingress (DOC-017 to DOC-020, DOC-022). */
export const instancePublicCodes = {
  'instance.public_ingress_mismatch': {
    kind: 'drift',
    summary: 'The public site of the Instance on the ingress differs from the records.',
    repair: 'Converge the ingress: it rebuilds its sites and keeps a backup of what was edited.',
    command: converge,
  },
  'instance.public_tls_mismatch': {
    kind: 'drift',
    summary:
      'The public site of the Instance has no public certificate: it names a file instead, its management is switched off, or the certificate is missing, damaged or near its end.',
    repair:
      'Converge the ingress: its web server then requests what is missing. If it still has none, the log of `caddy` there says why: often the public DNS does not lead to the ingress.',
    command: converge,
  },
  'instance.public_firewall_mismatch': {
    kind: 'drift',
    summary:
      'The firewall of the ingress is inactive, admits what no rule admits, is off after the next start, or does not open port 80 or 443 to everybody.',
    repair: 'Converge the ingress: it restores its rules.',
    command: converge,
  },
} as const satisfies Record<`instance.${string}`, DoctorCodeSpec>
