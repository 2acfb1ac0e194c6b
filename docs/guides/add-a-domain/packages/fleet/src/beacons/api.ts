export { type BeaconsDomain, makeBeacons } from '#/beacons/make.ts'
