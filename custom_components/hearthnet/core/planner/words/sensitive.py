"""Words that name an operation of which nobody should be surprised.

An operation of the class `confirm` gets into a plan only if the sentence itself
names it. The words say what is wanted, never that it is allowed: that is policy's.
"""

from collections.abc import Mapping
import re

from .fold import phrases

_OPEN = r"""
    open, opens, opened, raise, lift, roll up, pull up
    /let .{0,30} in/
    offne, offnen, offnest, aufmachen, aufmach, hochfahren, hochziehen
    /(mach|fahr|zieh)\w* .{0,60}(auf|hoch)/
    打开, 打開, 开门, 開門, 开一下, 拉开, 升起, 开启, 開啟
    /把.{1,20}[开開]/
    ouvre, ouvrez, ouvrir, ouvres, remonte, releve, lever, leve
    abre, abrir, abras, abra, abran, abres, sube, subir, levanta
    """
_UNLOCK = r"""
    unlock, unlocks, unlocked, unlatch, unbolt
    entsperr*, entriegel*, aufschliess*, aufsperr*
    /(schliess|sperr)\w* .{0,60}auf/
    解锁, 解鎖, 开锁, 開鎖
    deverrouill*, debloque*
    desbloque*, quita el seguro, quita el cerrojo
    """
_PORTION = r"""
    /\d+ ?(%|percent|prozent|pour cent|por ciento)/
    百分之, 一半, half, halb, halbe, moitie, mitad
    """
_DISARM = r"""
    disarm, deactivate, turn off, switch off, shut off
    /turn .{0,40} off/
    entscharf*, unscharf, deaktivier*, ausschalten, abschalten
    /(schalt|mach)\w* .{0,60}(aus|ab)/
    撤防, 解除, 关闭, 關閉, 关掉
    desarme*, desactive*, eteins, eteindre, coupe
    desarma*, desactiva*, apaga, apagar
    """
_PRESS = r"""
    press, presses, pressed, push, pushes, pushed
    druck, drucke, drucken, drucks*, betatig*
    按, 按下, 按一下
    appuie, appuyez, appuyer, presse, pressez
    pulsa, pulsar, presiona, presionar, oprime, aprieta
    """
_RUN = r"""
    run, runs, start, starts, activate, execute, launch, trigger
    start*, aktivier*, ausfuhren, fuhr*
    运行, 執行, 执行, 启动, 啟動, 激活
    lance, lancez, lancer, active, activez, demarre*, execute*
    ejecuta*, inicia*, activa*, lanza*
    """

SENSITIVE: Mapping[str, re.Pattern[str]] = {
    "lock.unlock": phrases(_UNLOCK + _OPEN),
    "lock.open": phrases(_UNLOCK + _OPEN),
    "cover.open_cover": phrases(_OPEN),
    "cover.set_cover_position": phrases(_OPEN + _PORTION),
    "valve.open_valve": phrases(_OPEN),
    "valve.set_valve_position": phrases(_OPEN + _PORTION),
    "alarm_control_panel.alarm_disarm": phrases(_DISARM),
    "button.press": phrases(_PRESS),
    "input_button.press": phrases(_PRESS),
    "script.turn_on": phrases(_RUN),
    "scene.turn_on": phrases(_RUN),
}
"""By operation, the words that name it. An operation of the class `confirm` that
is missing here cannot be planned by a model at all; a test says so."""
