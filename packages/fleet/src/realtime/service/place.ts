import { EXECUTABLE_PLACE, type ExecutablePlace } from '#/nodes/api.ts'

/** Where the WebSocket server stands on a Node. */
export interface ServerPlace {
  /** Folder of its configuration; only root and the server read it. */
  readonly home: string
  readonly unitDirectory: string
  /** Made by its unit; gone after a boot. */
  readonly runtime: string
  /** Unix user that it runs as. */
  readonly account: string
}

export interface ServerPlaces {
  readonly server: ServerPlace
  readonly executable: ExecutablePlace
}

export const SERVER_UNIT = 'fleet-websocket.service'
/** Names the directory of its certificate. */
export const SERVER_SCOPE = 'websocket'
export const SERVER_CERTIFICATE = `/etc/fleet/certificates/${SERVER_SCOPE}/leaf.pem`

export const SERVER_PLACES: ServerPlaces = {
  executable: EXECUTABLE_PLACE,
  server: {
    home: '/etc/fleet/websocket',
    unitDirectory: '/etc/systemd/system',
    runtime: '/run/fleet-websocket',
    account: 'fleet-websocket',
  },
}
