import * as z from 'zod'
import { roleNames } from './records.ts'

const PORT = '(?:[1-9]\\d{0,3}|[1-5]\\d{4}|6[0-4]\\d{3}|65[0-4]\\d{2}|655[0-2]\\d|6553[0-5])'
const OCTET = '(?:25[0-5]|2[0-4]\\d|1?\\d?\\d)'
const NAME = '(?:[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?)'
// A last label with a letter in it: what looks like an IPv4 address must be one.
const HOST_NAME = `(?:${NAME}\\.)*(?=[A-Za-z0-9-]*[A-Za-z])${NAME}`
const IPV4 = `${OCTET}(?:\\.${OCTET}){3}`
const IPV6 = '[0-9A-Fa-f:.]*:[0-9A-Fa-f:.]+'

/** Host name, IPv4 or IPv6 address of a machine's public SSH (NODE-036). */
export const publicSshHost = z
  .string()
  .min(1)
  .max(255)
  .regex(new RegExp(`^(?:${IPV4}|${HOST_NAME}|${IPV6})$`), 'must be a host name or an address')

export const publicSshPort = z.int().min(1).max(65_535)

/** `IPv4:port`, `host:port` or `[IPv6]:port` (NODE-046). */
export const wireguardEndpoint = z
  .string()
  .max(255)
  .regex(
    new RegExp(`^(?:${IPV4}|${HOST_NAME}|\\[${IPV6}\\]):${PORT}$`),
    'must be IPv4:port, host:port or [IPv6]:port',
  )

/** SHA-256 of an SSH host key as `ssh-keygen -l` prints it (NODE-012). */
export const hostKeyFingerprint = z
  .string()
  .regex(/^SHA256:[A-Za-z0-9+/]{43}$/, 'must be SHA256: and 43 base64 characters')

/** Development top-level domain of a Node; dotted labels are allowed (NODE-006). */
export const nodeTld = z
  .string()
  .min(1)
  .max(253)
  .regex(
    /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?(?:\.[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?)*$/,
    'must be lowercase labels of 1 to 63 letters, digits or hyphens, joined by dots',
  )

export const ipAddress = z.union([z.ipv4(), z.ipv6()])

/** Role names, each once. */
export const roleList = z.array(z.enum(roleNames)).max(roleNames.length)
