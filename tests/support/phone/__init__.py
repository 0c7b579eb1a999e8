"""A phone for tests and the demo: apps, a framework, and two kinds of adbd.

`world` and `apps` are the phone's state, `framework` its commands. They run
behind `fake_adbd`, in this process and with faults where wanted, or behind
`real_adbd`, Debian's build of Android's own daemon and shell.
"""
