import type { NewBeacon } from '#/beacons/queries.ts'
import type { ManagedService } from '#/managed-services/api.ts'

export const unitOf = ({ name }: Pick<NewBeacon, 'name'>): string => `fleet-beacon-${name}.service`

export const beaconService = (beacon: NewBeacon): ManagedService => ({
  name: 'beacon',
  units: [{ name: unitOf(beacon), file: 'own', isEnabled: true, onChange: 'restart' }],
  ready: { kind: 'active', seconds: 5 },
  render: () => ({ units: { [unitOf(beacon)]: unitText(beacon) } }),
  failure: (reason) => ({ code: 'beacon.service_failed', details: { reason } }),
})

// Name and number have no character that a shell or systemd reads otherwise.
const unitText = ({ name, interval_seconds }: NewBeacon): string => `# Written by Fleet. Changes are replaced.
[Service]
DynamicUser=yes
RuntimeDirectory=fleet-beacon-${name}
ExecStart=/bin/sh -c 'while date +%%s >/run/fleet-beacon-${name}/alive; do sleep ${interval_seconds}; done'
Restart=always

[Install]
WantedBy=multi-user.target
`
