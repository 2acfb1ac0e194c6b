/** Codes that only this client gives, never the gateway (GW-055), with what they mean. */
export const clientCodes = {
  'gateway.profile_invalid': 'The name or the URL of the profile is not valid.',
  'gateway.profile_missing': 'No gateway is chosen, and no embedded fleet was started here.',
  'gateway.profile_not_found': 'There is no profile of this name.',
  'gateway.profile_active': 'The active profile is not forgotten by mistake.',
  'gateway.unreachable': 'The gateway did not answer.',
  'realtime.unreachable': 'The WebSocket server did not answer, or is not the one that is trusted.',
  'gateway.ca_fetch_failed': 'The root certificate could not be fetched.',
  'gateway.ca_unavailable': 'The gateway has no root certificate to give.',
  'gateway.ca_invalid': 'What the gateway gave is no usable root certificate.',
  'gateway.ca_pin_invalid': 'The fingerprint is malformed, not the right one, or was not confirmed.',
  'gateway.ca_changed': 'The root certificate is another one than the stored one.',
  'gateway.ca_verification_failed': 'The gateway does not prove itself by the root certificate.',
  'gateway.ca_store_failed': 'The trust store of this system cannot be read.',
  'gateway.ca_install_failed': 'The trust store of this system cannot be changed.',
  'gateway.ca_profile_update_failed': 'The profile changed in the meantime or cannot be written.',
  'gateway.config_invalid': 'The file of the profiles cannot be understood.',
  'gateway.config_not_private': 'Others can read or write the file of the profiles.',
} as const satisfies Readonly<Record<string, string>>

export type ClientCode = keyof typeof clientCodes
