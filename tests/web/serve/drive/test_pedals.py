"""Keys become the motion of feet and hands."""

from gori.web.serve.drive.pedals import CALM, STEERING_RATE, Pedals


def test_keys_turn_the_wheel_at_a_rate_and_back():
    pedals = Pedals()
    pedals.want(1.0, 0.0, 1.0, True)
    pedals.advance(0.01, 0.0)
    assert pedals.steering_now == STEERING_RATE * 0.01 and 0.0 < pedals.throttle_now < 0.1
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
