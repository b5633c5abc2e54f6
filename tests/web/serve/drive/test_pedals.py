"""Keys become the motion of feet and hands."""

import pytest

from gori.web.serve.drive.pedals import CALM, MOST_ORDERS, STEERING_RATE, STEERING_START, Order, Orders, Pedals


def test_keys_turn_the_wheel_at_a_rate_and_back():
    pedals = Pedals()
    pedals.want(1.0, 0.0, 1.0, True)
    pedals.advance(0.01, 0.0)
    assert pedals.steering_now == STEERING_START * 0.01 and 0.0 < pedals.throttle_now < 0.1
    pedals.advance(0.01, 0.0)
    assert pedals.steering_now == pytest.approx(STEERING_START * 0.01 + STEERING_RATE * 0.01)
    for _ in range(200):
        pedals.advance(0.01, 0.0)
    assert pedals.steering_now == 1.0 and pedals.throttle_now == 1.0
    pedals.release()
    for _ in range(50):
        pedals.advance(0.01, 0.0)
    assert pedals.steering_now == 0.0 and pedals.throttle_now == 0.0


def test_keys_steer_less_at_speed():
    pedals = Pedals()
    pedals.want(0.0, 1.0, -1.0, True)
    for _ in range(200):
        pedals.advance(0.01, CALM)
    assert abs(pedals.steering_now + 0.5) < 1e-9 and pedals.brake_now == 1.0


def test_a_wheel_in_hand_is_followed():
    pedals = Pedals()
    pedals.want(0.0, 0.0, -0.7, False)
    for _ in range(10):
        pedals.advance(0.01, 30.0)
    assert pedals.steering_now == -0.7


def test_taps_between_two_blocks_all_act_and_sticks_do_not_queue():
    orders = Orders()
    for k in range(20):  # down and up, ten times, before a block begins
        orders.put(Order(steering=float(k % 2 == 0), sent=float(k)))
    assert [orders.take().steering for _ in range(20)] == 10 * [1.0, 0.0]
    assert orders.take() is None
    for k in range(300):  # a stick that moves while the simulation is held up
        orders.put(Order(steering=k / 300.0, smooth=False, sent=float(k)))
    assert len(orders) == 1 and orders.take().steering == 299 / 300.0
    orders.put(Order(throttle=1.0, sent=1.0))
    orders.put(Order(throttle=1.0, sent=2.0))  # the driver is there still, and wants the same
    assert len(orders) == 1 and orders.take().sent == 2.0
    orders.put(Order(steering=0.4, smooth=False))
    orders.put(Order(steering=1.0))  # a key after a stick
    orders.put(Order(steering=0.2, smooth=False))
    assert [orders.take().steering for _ in range(3)] == [0.4, 1.0, 0.2]
    for k in range(500):
        orders.put(Order(steering=float(k % 2)))
    assert len(orders) == MOST_ORDERS
    orders.only_last()  # after a pause
    assert len(orders) == 1 and orders.take().steering == 1.0
