/** `max-age` of HSTS: a year, in seconds. */
const HSTS_MAX_AGE = 31_536_000

/** Browser features that no page of ours uses, so injected content cannot use them either. */
const UNUSED_FEATURES = [
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

/** Clipboard and sharing keep the browser's default, which is the page's own origin. */
const PERMISSIONS = ['geolocation=(self)', ...UNUSED_FEATURES.map((name) => `${name}=()`)].join(', ')

/** Security headers of every response. `home` is the public address. */
export function securityHeaders(home: string): Record<string, string> {
  return {
    'x-content-type-options': 'nosniff',
    'x-frame-options': 'DENY',
    'referrer-policy': 'strict-origin-when-cross-origin',
    'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
    'cross-origin-opener-policy': 'same-origin',
    'permissions-policy': PERMISSIONS,
    ...(home.startsWith('https:') && { 'strict-transport-security': `max-age=${HSTS_MAX_AGE}` }),
  }
}
