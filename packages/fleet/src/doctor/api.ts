export { makeDoctor } from '#/doctor/make.ts'
export type { RunDeps as DoctorDeps } from '#/doctor/run.ts'
