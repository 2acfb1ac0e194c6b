/** Codes that only this client gives, never the gateway (GW-055), with what they mean. */
export const clientCodes = {
  'gateway.profile_invalid': 'The name or the URL of the profile is not valid.',
  'gateway.profile_missing': 'No gateway is selected, and no embedded fleet was started here.',
  'gateway.profile_not_found': 'There is no profile of this name.',
  'gateway.profile_active': 'The active profile is removed only with --force.',
  'gateway.unreachable': 'The gateway did not answer.',
  'github.installation_pending': 'No account has installed the app while the command waited.',
  'realtime.timed_out': 'The events that were waited for did not come in time.',
  'realtime.unreachable': 'The WebSocket server did not answer, or is not the trusted one.',
  'gateway.ca_fetch_failed': 'The root certificate could not be fetched.',
  'gateway.ca_unavailable': 'The gateway did not return a root certificate.',
  'gateway.ca_invalid': 'The gateway returned an unusable root certificate.',
  'gateway.ca_pin_invalid': 'The fingerprint is malformed, does not match, or was not confirmed.',
  'gateway.ca_changed': 'The root certificate differs from the stored one.',
  'gateway.ca_verification_failed':
    'The certificate of the gateway is not signed by the root certificate, is for another name, or is not valid now.',
  'gateway.ca_store_failed': 'The trust store of this system cannot be read.',
  'gateway.ca_install_failed': 'The trust store of this system cannot be updated.',
  'gateway.ca_profile_update_failed': 'The profile was changed in the meantime, or cannot be written.',
  'gateway.config_invalid': 'The profile file is not valid.',
  'gateway.config_not_private': 'Other users can read or write the profile file.',
} as const satisfies Readonly<Record<string, string>>

export type ClientCode = keyof typeof clientCodes
