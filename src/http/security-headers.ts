/** How long browsers are to ask by https alone, in seconds: a year. */
const HTTPS_ONLY = 31_536_000

/** What no page of ours uses, so that nothing which gets into one can. */
const UNUSED = [
  'accelerometer',
  'autoplay',
  'camera',
  'display-capture',
  'encrypted-media',
  'gyroscope',
  'hid',
  'idle-detection',
  'magnetometer',
  'microphone',
  'midi',
  'payment',
  'picture-in-picture',
  'publickey-credentials-get',
  'screen-wake-lock',
  'serial',
  'usb',
  'xr-spatial-tracking',
]

/** Sharing and copying an address are for pages of the site alone by themselves. */
const PERMISSIONS = ['geolocation=(self)', ...UNUSED.map((name) => `${name}=()`)].join(', ')

/** What every answer tells browsers, whatever it is; `home` is the public address. */
export function securityHeaders(home: string): Record<string, string> {
  return {
    'x-content-type-options': 'nosniff',
    'x-frame-options': 'DENY',
    'referrer-policy': 'strict-origin-when-cross-origin',
    'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
    'cross-origin-opener-policy': 'same-origin',
    'permissions-policy': PERMISSIONS,
    ...(home.startsWith('https:') && { 'strict-transport-security': `max-age=${HTTPS_ONLY}` }),
  }
}
